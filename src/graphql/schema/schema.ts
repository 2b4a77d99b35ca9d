import { addResolversToSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import { assertValidSchema, buildASTSchema, type DocumentNode, type GraphQLSchema } from 'graphql';
import { wrapResolvers } from './field-middleware.ts';
import { noteForms, readFromRecords, type WireForms } from './wire-fields.ts';

export type FieldResolvers = Readonly<Record<string, object>>;

/**
 * The executable schema: resolvers where they were written, records for every other field. Throws where a field of the root has no
 * resolver.
 */
export function createSchema(typeDefs: DocumentNode, resolvers: FieldResolvers, forms: WireForms): GraphQLSchema {
  const schema = addResolversToSchema({
    schema: buildASTSchema(typeDefs),
    resolvers: resolvers as IResolvers,
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {});
  const unresolved = roots.find(({ resolve }) => resolve === undefined);
  if (unresolved !== undefined) throw new Error(`Query.${unresolved.name} has no resolver.`);
  assertValidSchema(schema);
  noteForms(schema, forms);
  readFromRecords(schema, forms);
  wrapResolvers(schema);
  return schema;
}
