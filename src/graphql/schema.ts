import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import type { DocumentNode, GraphQLSchema } from 'graphql';
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
  readFromRecords(schema);
  checkArguments(schema);
  return schema;
}
