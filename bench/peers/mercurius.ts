import Fastify from 'fastify';
import mercurius from 'mercurius';
import { contextOf, peerSchema } from './resolvers.ts';

// A query is compiled when it comes for the second time.
const app = Fastify({ logger: false });
await app.register(mercurius, {
  schema: peerSchema(),
  jit: 1,
  context: ({ headers }) => contextOf(headers.authorization),
});
console.log(`Mercurius listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
