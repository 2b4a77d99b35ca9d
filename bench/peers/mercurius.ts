import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import Fastify from 'fastify';
import mercurius, { type MercuriusOptions } from 'mercurius';
import { contextOf, peerSchema, trusting } from './resolvers.ts';

const app = Fastify({ logger: false });
// Where no response is asked for compressed, there is no hook that looks for it. The level is Switchboard's.
if (process.env['BENCH_CODING'] !== undefined) {
  const zlibOptions = { level: 1, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
  await app.register(fastifyCompress, { encodings: ['zstd', 'gzip'], zlibOptions });
}
// A query is compiled when it comes for the second time. Mercurius hands on compilerOptions, which its types lack.
const options: MercuriusOptions & { readonly compilerOptions: object } = {
  schema: peerSchema(),
  jit: 1,
  compilerOptions: trusting,
  context: ({ headers }) => contextOf(headers.authorization),
};
await app.register(mercurius, options);
console.log(`Mercurius listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
