import {
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { GatewayError, type ViolationKind } from '../../errors.ts';
import type { Coordinate } from '../../generated/records.ts';
import { recordIn, type JsonObject } from '../../json.ts';
import type { Context } from '../context.ts';
import { missing, siteOf, unexpectedValue, type Site } from './checked-value.ts';
import { leaves, type Leaf } from './scalars.ts';

/** What a resource says of its types on the wire, beyond the SDL. Plans, bytes and graphql-js read it. */
export interface WireForms {
  /** The types whose objects are no plain records, or not always, by their names. */
  readonly forms?: Readonly<Record<string, Form>>;
  /** The unions and interfaces whose types a member of the record tells, by their names. */
  readonly unions?: Readonly<Record<string, TaggedUnion>>;
  /** What the leaves of a field are checked by, where that is not their scalar. */
  readonly leaves?: { readonly [Field in Coordinate]?: Leaf };
  /** Of a field whose resolver hides secrets: the values that it surely shows as they are. */
  readonly bare?: { readonly [Field in Coordinate]?: Leaf };
}

/** An object of a type as it may stand on the wire. */
export interface Form {
  readonly expected: string;
  /** The record of it, by the wire names of its fields; undefined for anything else. */
  readonly read: (value: unknown) => object | undefined;
  /** For a pair of texts or nulls, the fields `name` and `value`: the names whose values read like the cover, unless secrets are shown. */
  readonly pair?: { readonly names: readonly string[]; readonly cover: string };
}

/** A union whose type the member `tag` tells by its text. */
export interface TaggedUnion {
  readonly tag: string;
  readonly types: Readonly<Record<string, string>>;
  /** What one of them is called, and the field of its tag. */
  readonly what: string;
  readonly coordinate: Coordinate;
}

interface Noted {
  readonly form?: Form;
  readonly union?: TaggedUnion;
}

const plainRecord: Form = { expected: 'an object', read: recordIn };

/** Notes at the types of a schema how they stand on the wire. Throws for a type that it does not have. */
export function noteForms(schema: GraphQLSchema, { forms = {}, unions = {} }: WireForms): void {
  for (const [name, form] of Object.entries(forms)) {
    const type = schema.getType(name);
    if (!isObjectType(type)) throw new Error(`The schema has no type ${name}.`);
    Object.assign(type.extensions, { form } satisfies Noted);
  }
  for (const [name, union] of Object.entries(unions)) {
    const type = schema.getType(name);
    if (!isAbstractType(type)) throw new Error(`The schema has no union ${name}.`);
    type.resolveType = (value: object) => memberOf(union, value);
    Object.assign(type.extensions, { union } satisfies Noted);
  }
}

/** How an object of a type stands on the wire: as a record where nothing else is declared. */
export function formOf({ extensions }: GraphQLNamedType): Form {
  return (extensions as Noted).form ?? plainRecord;
}

export function isPlainRecord(type: GraphQLNamedType): boolean {
  return formOf(type) === plainRecord;
}

/** How the type of a union is told; undefined where its resolver tells it. */
export function unionOf({ extensions }: GraphQLNamedType): TaggedUnion | undefined {
  return (extensions as Noted).union;
}

/** The type of a union's object. One that the union does not have is UPSTREAM_BAD_RESPONSE, and fails that object alone. */
export function memberOf({ tag, types, what, coordinate }: TaggedUnion, holder: object): string {
  const told = (holder as Readonly<Record<string, unknown>>)[tag];
  const name = typeof told === 'string' && Object.hasOwn(types, told) ? types[told] : undefined;
  if (name !== undefined) return name;
  throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream sent ${what} of an unknown ${tag}: ${Object.keys(types).join(' or ')} was expected.`,
    violation: { coordinate, kind: kindOf(told) },
  });
}

/** A text may be a type of the API's next version. Anything else cannot be one. */
function kindOf(told: unknown): ViolationKind {
  if (told == null) return 'missing';
  return typeof told === 'string' ? 'unknown_value' : 'wrong_type';
}

/** Items of one list that may each have an error of their own; a list with more is an error itself. Each takes ten microseconds. */
const failedItems = 1_000;

/** Gives each field of the schema that has no resolver the one that reads it from its record, and notes what it reads. */
export function readFromRecords(schema: GraphQLSchema, { leaves: own = {}, bare = {} }: WireForms): void {
  for (const { typeName, field } of fieldsOf(schema)) {
    const coordinate = `${typeName}.${field.name}` as Coordinate;
    const site = siteOf(coordinate);
    const { wireName: name } = site;
    const covered = bare[coordinate];
    if (covered !== undefined) Object.assign(field.extensions, { covered: { name, leaf: covered } });
    if (field.resolve !== undefined) continue;
    const leaf = own[coordinate];
    field.resolve = fieldReader(name, readerOf(field.type, site, leaf));
    Object.assign(field.extensions, { wire: { name, leaf } satisfies WireField });
  }
}

type AnyField = GraphQLField<unknown, Context>;

/** The fields of all object types, except those of introspection. */
export function fieldsOf(schema: GraphQLSchema) {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types.flatMap((type) => {
    const fields: AnyField[] = type.name.startsWith('__') ? [] : Object.values(type.getFields());
    return fields.map((field) => ({ typeName: type.name, field }));
  });
}

/** Where a field stands in its record, and what its leaves are checked by, where that is not their scalar. */
export interface WireField {
  readonly name: string;
  readonly leaf: Leaf | undefined;
}

/** What a field reads of its record, where it does no more than that; undefined for any other. */
export function wireFieldOf({ extensions }: Pick<AnyField, 'extensions'>): WireField | undefined {
  return extensions['wire'] as WireField | undefined;
}

/** A resolver that reads one field by the name it has on the wire. */
function fieldReader(wireName: string, read: Reader): NonNullable<AnyField['resolve']> {
  return (record, _args, { mayList }) => {
    const value = (record as JsonObject)[wireName];
    if (Array.isArray(value) && mayList?.(value.length) === false)
      throw new GatewayError('QUERY_TOO_COMPLEX', {
        message: `The lists that this operation shows of ${wireName} are too long together. Ask for fewer rows, or fewer lists.`,
      });
    return read(value);
  };
}

type TextScalar = 'String' | 'Date' | 'Decimal';

/** Reads a text of a record as its field does; null where there is none. Throws UPSTREAM_BAD_RESPONSE. */
export function textReader(coordinate: Coordinate, scalar: TextScalar): (record: object) => string | null {
  const site = siteOf(coordinate);
  const read = optional(leaves[scalar], site);
  return (record) => read((record as JsonObject)[site.wireName]) as string | null;
}

/** As `textReader`, of a text that must be there: throws UPSTREAM_BAD_RESPONSE where there is none. */
export function requiredTextReader(coordinate: Coordinate, scalar: TextScalar): (record: object) => string {
  const read = textReader(coordinate, scalar);
  return (record) => read(record) ?? missing(siteOf(coordinate));
}

/** Takes a value as it came and checks that the schema can represent it. Throws UPSTREAM_BAD_RESPONSE. */
export type Reader<Value = unknown> = (value: unknown) => Value | null;

/** The reader for a type of the schema. A list keeps its good items: each bad one fails alone, at its own path. */
export function readerOf<Value>(type: GraphQLOutputType, site: Site, given?: Leaf): Reader<Value> {
  let read: Reader;
  if (isNonNullType(type)) read = present(readerOf(type.ofType, site, given), site);
  else if (isListType(type)) read = listReader(type.ofType, site, given);
  else read = optional(isLeafType(type) ? (given ?? leafOf(type)) : formOf(type), site);
  return read as Reader<Value>;
}

function leafOf(type: GraphQLLeafType): Pick<Leaf, 'expected' | 'read'> {
  const leaf = leaves[type.name];
  if (leaf !== undefined) return leaf;
  if (!isEnumType(type)) throw new Error(`No check is declared for the scalar ${type.name}.`);
  const names: readonly unknown[] = type.getValues().map(({ name }) => name);
  return { expected: `one of ${names.join(', ')}`, read: (value) => (names.includes(value) ? value : undefined) };
}

function optional({ read, expected }: Pick<Leaf, 'expected' | 'read'>, site: Site): Reader {
  return (value) => {
    if (value == null) return null;
    const known = read(value);
    if (known !== undefined) return known;
    if (value instanceof Error) throw value;
    throw unexpectedValue(site, expected, value);
  };
}

function present(read: Reader, site: Site): Reader {
  return (value) => (value == null ? missing(site) : read(value));
}

function listReader(itemType: GraphQLOutputType, site: Site, leaf?: Leaf): Reader {
  const itemSite = { ...site, wireName: `an item of ${site.wireName}` };
  const readItem = present(readerOf(itemType, itemSite, leaf), itemSite);
  return (value) => {
    if (value == null) return null;
    if (value instanceof Error) throw value;
    if (!Array.isArray(value)) throw unexpectedValue(site, 'a list', value);
    let failed = 0;
    return value.map((item: unknown): unknown => {
      try {
        return readItem(item);
      } catch (error) {
        // Each error costs as much as a hundred items, and a response reports few of them.
        if (++failed > failedItems)
          throw unexpectedValue(site, `a list with at most ${failedItems} items of another form`, value);
        return error;
      }
    });
  };
}
