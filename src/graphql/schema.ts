import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import { GraphQLNonNull, GraphQLString, isObjectType, type DocumentNode, type GraphQLSchema } from 'graphql';
import { checkArguments } from './arguments.ts';
import type { Context } from './context.ts';
import { federationResolvers } from './entities.ts';
import { resolvers } from './resolvers/resolvers.ts';
import { printSubgraphSchema } from './type-defs.ts';
import { readFromRecords } from './wire.ts';

/**
 * The executable schema: what federation adds, resolvers where they were written, records for every other field, dates
 * checked at their fields.
 */
export function createSchema(typeDefs: DocumentNode): GraphQLSchema {
  const { Query: federationQuery, ...federation } = federationResolvers(printSubgraphSchema(typeDefs));
  const schema = addResolversToSchema({
    schema: buildSubgraphSchema([{ typeDefs }]),
    resolvers: { ...resolvers, ...federation, Query: { ...resolvers.Query, ...federationQuery } },
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  promiseSdl(schema);
  readFromRecords(schema);
  checkArguments(schema);
  replayResults(schema);
  return schema;
}

/** A root field that has run for this request already does not run again (context.ts). */
function replayResults(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = (root, args, context: Context, info) => {
      const { results } = context;
      if (results === undefined) return resolve(root, args, context, info);
      const key = String(info.path.key);
      return results.has(key) ? results.get(key) : resolve(root, args, context, info);
    };
  }
}

/** The subgraph specification has `_Service { sdl: String! }`; the library makes it nullable. */
function promiseSdl(schema: GraphQLSchema): void {
  const service = schema.getType('_Service');
  const sdl = isObjectType(service) ? service.getFields()['sdl'] : undefined;
  if (sdl !== undefined) sdl.type = new GraphQLNonNull(GraphQLString);
}
