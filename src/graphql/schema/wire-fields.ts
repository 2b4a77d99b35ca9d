import {
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import type { GatewayError, Place } from '../../errors.ts';
import { recordIn } from '../../json.ts';
import { attemptErrorIn } from './attempt-error.ts';
import { headerIn } from './http-header.ts';
import { leaves, type Leaf } from './leaf.ts';
import { misfit, siteOf, type Site } from './misfit.ts';

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** A record under the names of its fields. */
type FieldsOf<Record> = { [Name in keyof Record & string as CamelCase<Name>]: Record[Name] };

type Result<Resolve> = Resolve extends (...args: never[]) => infer R ? Awaited<R> : never;

/**
 * The resolvers of a type that its record does not make needless. A record that lacks a field of the schema, or that may
 * hold null where the schema promises a value, leaves that field here: a compile error until someone resolves it.
 */
export type MissingResolvers<Resolvers, Record> = {
  [
    Name in Exclude<keyof Resolvers, '__isTypeOf' | '__resolveReference'> as Name extends keyof FieldsOf<Record>
      ? FieldsOf<Record>[Name] extends Result<Resolvers[Name]>
        ? never
        : Name
      : Name
  ]: Resolvers[Name];
};

/** The wire name of a field: `connectionName` → `connection_name`. What does not follow this rule has a resolver. */
export function wireNameOf(fieldName: string): string {
  return fieldName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Takes a value as it came and checks that the schema can represent it; whoever knows where the value stands says so, for the
 * error. Throws UPSTREAM_BAD_RESPONSE.
 */
export type Reader<Value = unknown> = (value: unknown, holder?: object, key?: string | number) => Value | null;

/** Gives each field of the schema that has no resolver the one its record needs: read by wire name when asked, check, return. */
export function readFromRecords(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve ??= fieldReader(siteOf(`${type.name}.${field.name}`, wireNameOf(field.name)), field.type);
    }
  }
}

/** Where a field stands in its record, and as what it is read there. */
export interface WireField {
  readonly name: string;
  /** Undefined until the schema is built. */
  readonly type: GraphQLOutputType | undefined;
  /** What its leaves are checked by, where that is not their scalar. */
  readonly leaf: Leaf | undefined;
}

const wireFields = new WeakMap<object, WireField>();

/** A resolver that reads one field by the name it has on the wire. */
export function fieldReader<Value>(
  site: Site,
  type: GraphQLOutputType,
  leaf?: Leaf,
): (record: unknown) => Value | null {
  const { wireName } = site;
  const read = readerOf<Value>(type, site, leaf);
  const resolve = (record: unknown): Value | null =>
    read((record as Readonly<Record<string, unknown>>)[wireName], record as object, wireName);
  wireFields.set(resolve, { name: wireName, type, leaf });
  return resolve;
}

/**
 * The resolver of a field whose wire name the rule does not find, or whose leaves are not checked by their scalar. It only says so:
 * when the schema is built, the field gets its reader by it.
 */
export function wireField<Value>(name: string, leaf?: Leaf): (record: unknown) => Value | null {
  const resolve = (): never => {
    throw new Error(`The schema has made no reader for ${name}.`);
  };
  wireFields.set(resolve, { name, type: undefined, leaf });
  return resolve;
}

/** What a resolver made by `fieldReader` or `wireField` reads; undefined for any other. */
export function wireFieldOf(resolve: object): WireField | undefined {
  return wireFields.get(resolve);
}

/** Marks a resolver as one that reads what another reads, if that was made by `fieldReader`. */
export function keepWireField(resolve: object, original: object): void {
  const read = wireFieldOf(original);
  if (read !== undefined) wireFields.set(resolve, read);
}

/** The reader for a type of the schema. A list keeps its good items: each bad one fails alone, at its own path. */
export function readerOf<Value>(type: GraphQLOutputType, site: Site, leaf?: Leaf): Reader<Value> {
  return untypedReaderOf(type, site, leaf) as Reader<Value>;
}

function untypedReaderOf(type: GraphQLOutputType, site: Site, given?: Leaf): Reader {
  if (isNonNullType(type)) return present(readerOf(type.ofType, site, given), site);
  if (isListType(type)) return listReader(type.ofType, site, given);
  if (!isLeafType(type)) {
    const { read, expected } = sourceOf(type.name);
    return optional(read, site, expected);
  }
  const leaf = given ?? leaves[type.name];
  if (leaf === undefined) throw new Error(`No check is declared for the scalar ${type.name}.`);
  return optional(leaf.read, site, leaf.expected);
}

/** The list that a record holds, its items unchecked; null where there is none. Throws UPSTREAM_BAD_RESPONSE for anything else. */
export function checkedList<Item>(value: readonly Item[] | null | undefined, site: Site, holder: object) {
  if (value == null) return null;
  if (Array.isArray(value)) return value as readonly Item[];
  throw misfit(site, 'a list', value, placeOf(holder, site.wireName));
}

/** As `listOf`, where there has to be one: throws. */
export function requiredListOf<Item>(
  value: readonly Item[] | null | undefined,
  site: Site,
  holder: object,
): readonly Item[] {
  const list = checkedList(value, site, holder);
  if (list !== null) return list;
  throw misfit(site, 'a value', value, placeOf(holder, site.wireName));
}

/** An item of a list as it is handed to the executor: an error in its place fails the item, not the list. */
export function itemOf<Row>(row: Row, site: Site, holder: object, index: number): Row | GatewayError {
  return (recordIn(row) as Row | undefined) ?? misfit(site, 'an object', row, placeOf(holder, index));
}

/** As `itemOf`, where there is only the one: throws. */
export function recordOf<Row>(row: Row, site: Site, holder?: object, key: string | number = site.wireName): Row {
  const record = recordIn(row) as Row | undefined;
  if (record !== undefined) return record;
  throw misfit(site, 'an object', row, placeOf(holder, key));
}

function optional(read: (value: unknown) => unknown, site: Site, expected: string): Reader {
  return (value, holder, key) => {
    if (value == null) return null;
    const known = read(value);
    if (known !== undefined) return known;
    throw misfit(site, expected, value, placeOf(holder, key));
  };
}

function placeOf(holder: object | undefined, key: string | number | undefined): Place | undefined {
  return holder === undefined || key === undefined ? undefined : { holder, key };
}

interface Source {
  readonly expected: string;
  /** What the resolvers of the type are handed; undefined where the value is refused. */
  readonly read: (value: unknown) => unknown;
}

const record: Source = { expected: 'an object', read: recordIn };
/** Types whose objects are something else on the wire, or come in several forms. */
const sources: Readonly<Record<string, Source>> = {
  HttpHeader: { expected: 'a pair [name, value], or the text "name: value",', read: headerIn },
  AttemptError: { expected: 'an integer, or an object', read: attemptErrorIn },
};

/** What an object of a type is on the wire. */
export function sourceOf(typeName: string): Source {
  return sources[typeName] ?? record;
}

function present(read: Reader, site: Site): Reader {
  return (value, holder, key) => {
    if (value == null) throw misfit(site, 'a value', value, placeOf(holder, key));
    return read(value, holder, key);
  };
}

function listReader(itemType: GraphQLOutputType, site: Site, leaf?: Leaf): Reader {
  const itemSite = { ...site, wireName: `an item of ${site.wireName}` };
  const readItem = present(readerOf(itemType, itemSite, leaf), itemSite);
  return (value, holder, key) => {
    if (value == null) return null;
    if (!Array.isArray(value)) throw misfit(site, 'a list', value, placeOf(holder, key));
    return value.map((item: unknown, index): unknown => {
      try {
        return readItem(item, value, index);
      } catch (error) {
        return error;
      }
    });
  };
}
