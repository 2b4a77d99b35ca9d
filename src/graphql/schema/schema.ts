import { addResolversToSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import { assertValidSchema, buildASTSchema, type DocumentNode, type GraphQLSchema } from 'graphql';
import { wrapResolvers } from './field-middleware.ts';
import { withFederation, withDefer } from './type-defs.ts';
import { readFromRecords } from './wire-fields.ts';

/** Resolvers by type and field. */
export type FieldResolvers = Readonly<Record<string, object>>;

/**
 * The executable schema: what federation adds, resolvers where they were written, records for every other field. Throws where a
 * field of the root has no resolver.
 */
export function createSchema(typeDefs: DocumentNode, resolvers: FieldResolvers): GraphQLSchema {
  const schema = addResolversToSchema({
    schema: buildASTSchema(withFederation(typeDefs)),
    resolvers: resolvers as IResolvers,
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {});
  const unresolved = roots.find(({ resolve }) => resolve === undefined);
  if (unresolved !== undefined) throw new Error(`Query.${unresolved.name} has no resolver.`);
  assertValidSchema(schema);
  readFromRecords(schema, resolvers);
  wrapResolvers(schema);
  return withDefer(schema);
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** A record under the names of its fields. */
type FieldsOf<Record> = { [Name in keyof Record & string as CamelCase<Name>]: Record[Name] };

type Result<Resolve> = Resolve extends (...args: never[]) => infer R ? Awaited<R> : never;

/**
 * The resolvers of a type that its record does not make needless. A record that lacks a field of the schema, or that may
 * hold null where the schema promises a value, leaves that field here: a compile error until a resolver is written for it.
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
