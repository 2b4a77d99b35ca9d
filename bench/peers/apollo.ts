import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloServer, HeaderMap } from '@apollo/server';
import { contextOf, peerSchema, type PeerContext } from './resolvers.ts';

// RESTDataSource would cache and copy what each request reads once, and the standalone server brings CORS and a body parser along.
const apollo = new ApolloServer<PeerContext>({ schema: peerSchema(), nodeEnv: 'production', persistedQueries: false });
await apollo.start();

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', async () => {
    const headers = new HeaderMap(Object.entries(req.headers) as [string, string][]);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const response = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: req.method ?? '', headers, search: '', body },
      context: async () => contextOf(req.headers.authorization),
    });
    const text = response.body.kind === 'complete' ? response.body.string : '';
    res.writeHead(response.status ?? 200, {
      ...Object.fromEntries(response.headers),
      'content-length': Buffer.byteLength(text),
    });
    res.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`Apollo Server listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
