import {
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { GatewayError } from '../../errors.ts';
import { recordIn } from '../../json.ts';
import type { Context } from '../context.ts';
import { unexpectedValue, placeOf, type Site } from './checked-value.ts';
import { attemptErrorIn, headerIn } from './delivery-attempt.ts';
import { leaves, type Leaf } from './scalars.ts';

/** Items of one list that may each have an error of their own; a list with more is an error itself. Each takes ten microseconds. */
const failedItems = 1_000;

/** The wire name of a field: `connectionName` → `connection_name`. A field that does not follow this rule has a resolver. */
export function wireNameOf(fieldName: string): string {
  return fieldName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Gives each field of the schema that has no resolver, or a `wireField`, the one that reads it from its record. The declarations are
 * looked up where they were written: graphql-tools has bound the resolvers, so that their marks are lost.
 */
export function readFromRecords(schema: GraphQLSchema, declared: Readonly<Record<string, object>>): void {
  for (const { typeName, field } of fieldsOf(schema)) {
    const ofType = declared[typeName] as Readonly<Record<string, object>> | undefined;
    const own = ofType?.[field.name] ?? {};
    const read = wireFieldOf(own);
    const covered = (own as Marked)[coveredMark];
    if (covered !== undefined) Object.assign(field.extensions, { covered });
    if (read === undefined && field.resolve !== undefined) continue;
    const site = { coordinate: `${typeName}.${field.name}`, wireName: read?.name ?? wireNameOf(field.name) };
    field.resolve = fieldReader(site, field.type, read?.leaf);
  }
}

/** The fields of all object types, except those of introspection. */
export function fieldsOf(schema: GraphQLSchema) {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types.flatMap((type) => {
    const fields: GraphQLField<unknown, Context>[] = type.name.startsWith('__') ? [] : Object.values(type.getFields());
    return fields.map((field) => ({ typeName: type.name, field }));
  });
}

/** Where a field stands in its record, and as what it is read there. */
export interface WireField {
  readonly name: string;
  /** Undefined until the schema is built. */
  readonly type: GraphQLOutputType | undefined;
  /** What its leaves are checked by, where that is not their scalar. */
  readonly leaf: Leaf | undefined;
}

const mark = Symbol('wire field');
const coveredMark = Symbol('covered field');

/** A resolver, and what it reads where it does no more than that, or where secrets are hidden. */
interface Marked {
  [mark]?: WireField;
  [coveredMark]?: CoveredField;
}

/** Where a field that may hold a secret stands in its record, and the values that hold none. */
export type CoveredField = Pick<WireField, 'name'> & { readonly leaf: Leaf };

/** Marks a resolver as one that shows values of this leaf as they are: who reads bytes needs it for other values only. */
export function coveredField<Resolve extends object>(name: string, leaf: Leaf, resolve: Resolve): Resolve {
  (resolve as Marked)[coveredMark] = { name, leaf };
  return resolve;
}

function marked<Resolve extends object>(resolve: Resolve, field: WireField): Resolve {
  (resolve as Marked)[mark] = field;
  return resolve;
}

/** What an operation may list where graphql-js completes it, which cannot be done in slices. */
interface ListBudget {
  /** Whether it may list so many items more; absent: any number. */
  readonly mayList?: (items: number) => boolean;
}

/** A resolver that reads one field by the name it has on the wire. */
export function fieldReader<Value>(
  site: Site,
  type: GraphQLOutputType,
  leaf?: Leaf,
): (record: unknown, args?: unknown, context?: ListBudget) => Value | null {
  const { wireName } = site;
  const read = readerOf<Value>(type, site, leaf);
  const resolve = (record: unknown, _args?: unknown, context?: ListBudget): Value | null => {
    const value = (record as Readonly<Record<string, unknown>>)[wireName];
    if (Array.isArray(value) && context?.mayList?.(value.length) === false)
      throw new GatewayError('QUERY_TOO_COMPLEX', {
        message: `The lists that this operation shows of ${site.wireName} are too long together. Ask for fewer rows, or fewer lists.`,
      });
    return read(value, record as object, wireName);
  };
  return marked(resolve, { name: wireName, type, leaf });
}

/**
 * The resolver of a field whose wire name does not follow the rule, or whose leaves are not checked by their scalar. It declares
 * the field only; the schema replaces it by a reader when it is built.
 */
export function wireField<Value>(name: string, leaf?: Leaf): (record: unknown) => Value | null {
  const resolve = (): never => {
    throw new Error(`The schema has made no reader for ${name}.`);
  };
  return marked(resolve, { name, type: undefined, leaf });
}

/** What a resolver made by `fieldReader` or `wireField` reads; undefined for any other. */
export function wireFieldOf(resolve: object): WireField | undefined {
  return (resolve as Marked)[mark];
}

/** Marks a resolver as one that reads what another reads, if that was made by `fieldReader`. */
export function keepWireField(resolve: object, original: object): void {
  const field = wireFieldOf(original);
  if (field !== undefined) marked(resolve, field);
}

/** The names by which the fields of a schema, and their resolvers, read records. */
export function wireNamesOf(schema: GraphQLSchema): ReadonlySet<string> {
  const names = fieldsOf(schema).map(
    ({ field: { name, resolve } }) => (resolve && wireFieldOf(resolve)?.name) ?? wireNameOf(name),
  );
  return new Set(names);
}

/**
 * Takes a value as it came and checks that the schema can represent it. The holder and key of the value, where they are known, go
 * into the error. Throws UPSTREAM_BAD_RESPONSE.
 */
export type Reader<Value = unknown> = (value: unknown, holder?: object, key?: string | number) => Value | null;

/** The reader for a type of the schema. A list keeps its good items: each bad one fails alone, at its own path. */
export function readerOf<Value>(type: GraphQLOutputType, site: Site, given?: Leaf): Reader<Value> {
  let read: Reader;
  if (isNonNullType(type)) read = present(readerOf(type.ofType, site, given), site);
  else if (isListType(type)) read = listReader(type.ofType, site, given);
  else {
    const source = isLeafType(type) ? (given ?? leaves[type.name]) : sourceOf(type.name);
    if (source === undefined) throw new Error(`No check is declared for the scalar ${type.name}.`);
    read = optional(source, site);
  }
  return read as Reader<Value>;
}

/** What an object of a type is on the wire. Its resolvers are handed what `read` returns. */
type Source = Pick<Leaf, 'expected' | 'read'>;

const record: Source = { expected: 'an object', read: recordIn };
/** Types whose objects are something else on the wire, or come in several forms. */
const sources: Readonly<Record<string, Source>> = {
  HttpHeader: { expected: 'a pair [name, value], or the text "name: value",', read: headerIn },
  AttemptError: { expected: 'an integer, or an object', read: attemptErrorIn },
};

/** Whether objects of a type are plain records on the wire. */
export function isPlainRecord(typeName: string): boolean {
  return sources[typeName] === undefined;
}

export function sourceOf(typeName: string): Source {
  return sources[typeName] ?? record;
}

function optional({ read, expected }: Source, site: Site): Reader {
  return (value, holder, key) => {
    if (value == null) return null;
    const known = read(value);
    if (known !== undefined) return known;
    throw unexpectedValue(site, expected, value, placeOf(holder, key));
  };
}

function present(read: Reader, site: Site): Reader {
  return (value, holder, key) => {
    if (value == null) throw unexpectedValue(site, 'a value', value, placeOf(holder, key));
    return read(value, holder, key);
  };
}

function listReader(itemType: GraphQLOutputType, site: Site, leaf?: Leaf): Reader {
  const itemSite = { ...site, wireName: `an item of ${site.wireName}` };
  const readItem = present(readerOf(itemType, itemSite, leaf), itemSite);
  return (value, holder, key) => {
    if (value == null) return null;
    if (!Array.isArray(value)) throw unexpectedValue(site, 'a list', value, placeOf(holder, key));
    let failed = 0;
    return value.map((item: unknown, index): unknown => {
      try {
        return readItem(item, value, index);
      } catch (error) {
        // Each error costs as much as a hundred items, and a response reports few of them.
        if (++failed > failedItems)
          throw unexpectedValue(site, `a list with at most ${failedItems} items of another form`, value);
        return error;
      }
    });
  };
}
