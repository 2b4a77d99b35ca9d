import { isAbstractType, isObjectType, type GraphQLNamedType, type GraphQLSchema } from 'graphql';
import { GatewayError, type ViolationKind } from '../../errors.ts';
import { recordIn } from '../../json.ts';
import type { Coordinate } from '../../generated/records.ts';
import type { Leaf } from './scalars.ts';

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

const record: Form = { expected: 'an object', read: recordIn };

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
  return (extensions as Noted).form ?? record;
}

export function isPlainRecord(type: GraphQLNamedType): boolean {
  return formOf(type) === record;
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
    violation: { coordinate, kind: kindOf(told), place: { holder, key: tag } },
  });
}

/** A text may be a type of the API's next version. Anything else cannot be one. */
function kindOf(told: unknown): ViolationKind {
  if (told == null) return 'missing';
  return typeof told === 'string' ? 'unknown_value' : 'wrong_type';
}
