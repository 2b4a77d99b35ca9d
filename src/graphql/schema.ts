import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import { GraphQLNonNull, GraphQLString, isObjectType, type DocumentNode, type GraphQLSchema } from 'graphql';
import { checkArguments } from './arguments.ts';
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
  return schema;
}

/** The subgraph specification has `_Service { sdl: String! }`; the library makes it nullable. */
function promiseSdl(schema: GraphQLSchema): void {
  const service = schema.getType('_Service');
  const sdl = isObjectType(service) ? service.getFields()['sdl'] : undefined;
  if (sdl !== undefined) sdl.type = new GraphQLNonNull(GraphQLString);
}
