// docs/supergraph.md starts this: a second subgraph with notes on connections, and a router over both.

import { createServer } from 'node:http';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

const { SWITCHBOARD = 'http://127.0.0.1:4000/graphql', NOTES_PORT = '4001', PORT = '4002' } = process.env;

// The other subgraph: it has a PageInfo, a Node and a Query.node of its own, and gives every connection a note.
const notesSdl = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])
  type Query { node(id: ID!): Node  notes: [Note!] }
  interface Node { id: ID! }
  type Note implements Node @key(fields: "id") { id: ID!  text: String  connection: IpConnection }
  type PageInfo @shareable { hasNextPage: Boolean!  hasPreviousPage: Boolean!  startCursor: String  endCursor: String }
  type IpConnection @key(fields: "id") { id: ID!  note: String }
`);
const notes = createYoga({
  schema: buildSubgraphSchema([
    {
      typeDefs: notesSdl,
      resolvers: {
        Query: { node: () => null, notes: () => [] },
        Node: { __resolveType: () => 'Note' },
        IpConnection: { note: ({ id }: { id: string }) => `A note on ${id}` },
      },
    },
  ]),
});
createServer(notes).listen(Number(NOTES_PORT), '127.0.0.1');

// A subgraph returns its own SDL, without a key.
const response = await fetch(SWITCHBOARD, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ _service { sdl } }' }),
});
const { data } = (await response.json()) as { data: Record<'_service', { sdl: string }> };
const { sdl } = data['_service'];

const { supergraphSdl, errors } = composeServices([
  { name: 'switchboard', typeDefs: parse(sdl), url: SWITCHBOARD },
  { name: 'notes', typeDefs: notesSdl, url: `http://127.0.0.1:${NOTES_PORT}/graphql` },
]);
if (supergraphSdl === undefined) throw new Error(errors?.join('\n'));

const router = createGatewayRuntime({
  supergraph: supergraphSdl,
  propagateHeaders: {
    fromClientToSubgraphs: ({ request }) => ({ authorization: request.headers.get('authorization') }),
  },
});
createServer(router).listen(Number(PORT), '127.0.0.1', () => console.log(`The supergraph is on port ${PORT}.`));
// The router takes these signals to close itself, and then nothing would end the process.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit());
// npx that is told to end leaves its program behind, with another parent.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.exit(), 1_000).unref();
