import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { createYoga } from 'graphql-yoga';
import { contextOf, resolvers, typeDefs } from './resolvers.ts';

const yoga = createYoga({
  schema: makeExecutableSchema({ typeDefs, resolvers }),
  context: ({ request }) => contextOf(request.headers.get('authorization') ?? undefined),
});
const server = createServer(yoga);
server.listen(0, '127.0.0.1', () => {
  console.log(`Yoga listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
