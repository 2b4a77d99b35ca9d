import { makeExecutableSchema } from '@graphql-tools/schema';
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { contextOf, resolvers, typeDefs } from './resolvers.ts';

const app = Fastify();
await app.register(mercurius, {
  schema: makeExecutableSchema({ typeDefs, resolvers }),
  jit: 1,
  context: ({ headers }) => contextOf(headers.authorization),
});
console.log(`Mercurius listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
