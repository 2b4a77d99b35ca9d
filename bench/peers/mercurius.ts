import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { contextOf, peerSchema } from './resolvers.ts';

const app = Fastify({ logger: false });
// Where no response is asked for compressed, there is no hook that looks for it. The level is Switchboard's.
if (process.env['BENCH_CODING'] !== undefined) {
  const zlibOptions = { level: 1, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
  await app.register(fastifyCompress, { encodings: ['zstd', 'gzip'], zlibOptions });
}
// A query is compiled when it comes for the second time.
await app.register(mercurius, {
  schema: peerSchema(),
  jit: 1,
  context: ({ headers }) => contextOf(headers.authorization),
});
console.log(`Mercurius listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
