import { isObjectType, type GraphQLOutputType, type GraphQLSchema } from 'graphql';
import type { Leaf } from './leaf.ts';
import { misfit, type Site } from './misfit.ts';
import { readerOf } from './value-reader.ts';

/** The wire name of a field: `connectionName` → `connection_name`. A field that does not follow this rule has a resolver. */
export function wireNameOf(fieldName: string): string {
  return fieldName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Gives each field of the schema that has no resolver the one that reads it from its record, by its wire name. */
export function readFromRecords(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const site = { coordinate: `${type.name}.${field.name}`, wireName: wireNameOf(field.name) };
      field.resolve ??= fieldReader(site, field.type);
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

const mark = Symbol('wire field');

/** A resolver, and what it reads where it does no more than that. */
interface Marked {
  [mark]?: WireField;
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
      throw misfit(site, 'fewer items, in all lists of so large a response that are not completed by a plan,', value);
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
  const names = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const { name, resolve } of Object.values(type.getFields())) {
      const field = resolve && wireFieldOf(resolve);
      names.add(field?.name ?? wireNameOf(name));
    }
  }
  return names;
}
