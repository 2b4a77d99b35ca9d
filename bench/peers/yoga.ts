import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useGraphQlJit } from '@envelop/graphql-jit';
import { createYoga } from 'graphql-yoga';
import { contextOf, peerSchema, trusting } from './resolvers.ts';

// What a page or a log needs is left out.
const yoga = createYoga({
  schema: peerSchema(),
  context: ({ request }) => contextOf(request.headers.get('authorization') ?? undefined),
  graphiql: false,
  landingPage: false,
  logging: false,
  multipart: false,
  cors: false,
  plugins: [useGraphQlJit(trusting)],
});
const server = createServer(yoga);
server.listen(0, '127.0.0.1', () => {
  console.log(`Yoga listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
