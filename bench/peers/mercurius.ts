import Fastify from 'fastify';
import mercurius, { type MercuriusOptions } from 'mercurius';
import { contextOf, peerSchema, trusting } from './resolvers.ts';

const app = Fastify({ logger: false });
// A query is compiled when it comes for the second time. Mercurius hands on compilerOptions, which its types lack.
const options: MercuriusOptions & { readonly compilerOptions: object } = {
  schema: peerSchema(),
  jit: 1,
  compilerOptions: trusting,
  context: ({ headers }) => contextOf(headers.authorization),
};
await app.register(mercurius, options);
console.log(`Mercurius listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
