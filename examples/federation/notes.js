// A second subgraph: notes on connections, on port 4001. It has a PageInfo, a Node and a Query.node of its own.
import { createServer } from 'node:http';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

const typeDefs = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])
  type Query { node(id: ID!): Node  notes: [Note!] }
  interface Node { id: ID! }
  type Note implements Node @key(fields: "id") { id: ID!  text: String  connection: IpConnection }
  type PageInfo @shareable { hasNextPage: Boolean!  hasPreviousPage: Boolean!  startCursor: String  endCursor: String }
  type IpConnection @key(fields: "id") { id: ID!  note: String }
`);
const resolvers = {
  Query: { node: () => null, notes: () => [] },
  Node: { __resolveType: () => 'Note' },
  IpConnection: { note: ({ id }) => `A note on ${id}` },
};
const yoga = createYoga({ schema: buildSubgraphSchema([{ typeDefs, resolvers }]) });
const { PORT = '4001' } = process.env;
createServer(yoga).listen(Number(PORT), '127.0.0.1', () => console.log(`The notes are on port ${PORT}.`));
