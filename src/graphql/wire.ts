import {
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { GatewayError } from '../errors.ts';
import { recordIn } from '../upstream/json-body.ts';
import { leaves } from './leaf.ts';

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** A record under the names of its fields. */
type Told<Record> = { [Name in keyof Record & string as CamelCase<Name>]: Record[Name] };

type Result<Resolve> = Resolve extends (...args: never[]) => infer R ? Awaited<R> : never;

/**
 * The resolvers of a type that its record does not make needless. A record that lacks a field of the schema, or that may
 * hold null where the schema promises a value, leaves that field here: a compile error until someone resolves it.
 */
export type Unsaid<Resolvers, Record> = {
  [
    Name in Exclude<keyof Resolvers, '__isTypeOf' | '__resolveReference'> as Name extends keyof Told<Record>
      ? Told<Record>[Name] extends Result<Resolvers[Name]>
        ? never
        : Name
      : Name
  ]: Resolvers[Name];
};

/** The wire name of a field: `connectionName` → `connection_name`. What does not follow this rule has a resolver. */
export function wireNameOf(fieldName: string): string {
  return fieldName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Takes a value from a record as it came and checks that the schema can represent it. Throws UPSTREAM_BAD_RESPONSE. */
export type Reader<Value = unknown> = (value: unknown) => Value | null;

/** Gives each field of the schema that has no resolver the one its record needs: read by wire name when asked, check, return. */
export function readFromRecords(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve ??= fieldReader(wireNameOf(field.name), field.type);
    }
  }
}

/** Where a field stands in its record, and as what it is read there. */
export interface WireField {
  readonly name: string;
  readonly type: GraphQLOutputType;
}

const wireFields = new WeakMap<object, WireField>();

/** A resolver that reads one field by the name it has on the wire; for the few that the rule does not find. */
export function fieldReader<Value>(wireName: string, type: GraphQLOutputType): (record: unknown) => Value | null {
  const read = readerOf<Value>(type, wireName);
  const resolve = (record: unknown): Value | null => read((record as Readonly<Record<string, unknown>>)[wireName]);
  wireFields.set(resolve, { name: wireName, type });
  return resolve;
}

/** What a resolver made by `fieldReader` reads; undefined for any other. */
export function wireFieldOf(resolve: object): WireField | undefined {
  return wireFields.get(resolve);
}

/** The reader for a type of the schema. A list keeps its good items: each bad one fails alone, at its own path. */
export function readerOf<Value>(type: GraphQLOutputType, wireName: string): Reader<Value> {
  return untypedReaderOf(type, wireName) as Reader<Value>;
}

function untypedReaderOf(type: GraphQLOutputType, wireName: string): Reader {
  if (isNonNullType(type)) return present(readerOf(type.ofType, wireName), wireName);
  if (isListType(type)) return listReader(readerOf(type.ofType, `an item of ${wireName}`), wireName);
  if (!isLeafType(type)) {
    const { read, expected } = sourceOf(type.name);
    return optional(read, wireName, expected);
  }
  const leaf = leaves[type.name];
  if (leaf === undefined) throw new Error(`No check is declared for the scalar ${type.name}.`);
  return optional(leaf.read, wireName, leaf.expected);
}

/** A record's list, its items unchecked; null where there is none. Throws UPSTREAM_BAD_RESPONSE for anything else. */
export function listOf<Item>(value: readonly Item[] | null | undefined, wireName: string): readonly Item[] | null {
  if (value == null) return null;
  if (Array.isArray(value)) return value;
  throw misfit(wireName, 'a list');
}

/** As `listOf`, where there has to be one: throws. */
export function requiredListOf<Item>(value: readonly Item[] | null | undefined, wireName: string): readonly Item[] {
  const list = listOf(value, wireName);
  if (list !== null) return list;
  throw misfit(wireName, 'a value');
}

/** An item of a list as it is handed to the executor: an error in its place fails the item, not the list. */
export function itemOf<Row>(row: Row): Row | GatewayError {
  return (recordIn(row) as Row | undefined) ?? misfit('an item of data', 'an object');
}

/** As `itemOf`, where there is only the one: throws. */
export function recordOf<Row>(row: Row, wireName = 'an item of data'): Row {
  const record = recordIn(row) as Row | undefined;
  if (record !== undefined) return record;
  throw misfit(wireName, 'an object');
}

function optional(read: (value: unknown) => unknown, wireName: string, expected: string): Reader {
  return (value) => {
    if (value == null) return null;
    const known = read(value);
    if (known !== undefined) return known;
    throw misfit(wireName, expected);
  };
}

interface Source {
  readonly expected: string;
  /** What the resolvers of the type are handed; undefined where the value is refused. */
  readonly read: (value: unknown) => unknown;
}

const record: Source = { expected: 'an object', read: recordIn };
const pair: Source = { expected: 'a pair [name, value]', read: pairIn };

/** What an object of a type is on the wire. */
export function sourceOf(typeName: string): Source {
  return typeName === 'HttpHeader' ? pair : record;
}

function pairIn(value: unknown): unknown {
  return Array.isArray(value) && value.length === 2 ? value : undefined;
}

function present(read: Reader, wireName: string): Reader {
  return (value) => {
    if (value == null) throw misfit(wireName, 'a value');
    return read(value);
  };
}

function listReader(read: Reader, wireName: string): Reader {
  const readItem = present(read, `an item of ${wireName}`);
  const itemOrError = (item: unknown): unknown => {
    try {
      return readItem(item);
    } catch (error) {
      return error;
    }
  };
  return (value) => listOf(value as readonly unknown[] | null, wireName)?.map(itemOrError) ?? null;
}

function misfit(wireName: string, expected: string): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream sent something unexpected for ${wireName}: ${expected} was expected.`,
  });
}
