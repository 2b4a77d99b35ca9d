import { request as send, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { acceptEncodingLength } from '../../../src/http/response/compression.ts';
import { compressedFrom } from '../../../src/bounds.ts';
import { expect, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import { pageReply, type Script } from '../../support/scripted-upstream.ts';

const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  zstd: promisify(zlib.zstdDecompress),
  br: promisify(zlib.brotliDecompress),
  gzip: promisify(zlib.gunzip),
};

const rows = Array.from({ length: 400 }, (_, index) => ({
  mission_id: `m-${index}`,
  name: `Mission Zürich ${index} 😀`,
}));
const listed: Script = (request) => pageReply(rows, request, 1_000);

interface Sent {
  readonly path?: string;
  /** A GET has none. */
  readonly body?: string;
  readonly accept?: string;
}

/** Null sends no Accept-Encoding; several are sent as several headers. */
type Codings = string | string[] | null;

/** Sends a request to the letter: fetch would choose codings by itself, and hide them. */
async function exchange({ url }: Gateway, { path = '/graphql', body, accept = '*/*' }: Sent, codings: Codings) {
  const headers = {
    accept,
    authorization: 'Bearer test-key',
    'content-type': 'application/json',
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    ...(codings !== null && { 'accept-encoding': codings }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = send(url + path, { method: body === undefined ? 'GET' : 'POST', headers, agent: false }, resolve);
    asking.once('error', reject).end(body);
  });
  const bytes = await buffer(response);
  const coding = response.headers['content-encoding'] ?? 'identity';
  return { status: response.statusCode, headers: response.headers, coding, bytes };
}

const queryOf = (first: number): string => `{ missions(first: ${first}) { totalCount nodes { id name } } }`;
const posted = (query: string, accept?: string): Sent => ({
  body: JSON.stringify({ query }),
  ...(accept !== undefined && { accept }),
});
const inUrl = (query: string): Sent => ({ path: `/graphql?query=${encodeURIComponent(query)}` });
const files: readonly Sent[] = [{ path: '/schema.graphql' }, { path: '/docs/guide/start.md' }];

test.for<readonly [codings: Codings, coding: string]>([
  [null, 'identity'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['zstd;q=0.5, br;q=0.8, gzip', 'gzip'],
  ['identity, gzip;q=0.5', 'identity'],
  ['*', 'zstd'],
  ['*;q=0', 'identity'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['GZip;Q=1', 'gzip'],
  [['gzip;q=0.1', 'br;q=0.2'], 'br'],
  // A weight that cannot be read is none.
  [';;;,,,q=1,gzip;;q', 'identity'],
  [`gzip${', gzip'.repeat(1 + acceptEncodingLength / 6)}`, 'identity'],
])('an answer for Accept-Encoding %j is sent as %s', async ([codings, coding], { gateway, upstream }) => {
  upstream.script(listed);
  // One is not compressed, one at once, and one in a thread.
  for (const size of [1, 30, 400])
    for (const sent of [posted(queryOf(size)), inUrl(queryOf(size))]) {
      const plain = await exchange(gateway, sent, null);
      const { status, headers, coding: chosen, bytes } = await exchange(gateway, sent, codings);
      expect([status, chosen]).toEqual([200, plain.bytes.length < compressedFrom ? 'identity' : coding]);
      expect(headers).toMatchObject({
        'content-length': String(bytes.length),
        vary: 'Authorization, Accept, Accept-Encoding',
      });
      expect((await decoders[chosen]?.(bytes))?.equals(plain.bytes)).toBe(true);
      if (chosen !== 'identity' && size === 400) expect(bytes.length * 3).toBeLessThan(plain.bytes.length);
    }
});

test('streams and answers in pieces are left as they are', async ({ gateway, upstream }) => {
  upstream.script(listed);
  const sent = posted(`{ ... @defer ${queryOf(400)} }`, 'multipart/mixed');
  const { headers, coding, bytes } = await exchange(gateway, sent, 'zstd, gzip');
  expect([headers['content-type'], coding]).toEqual([expect.stringMatching(/^multipart\/mixed/), 'identity']);
  expect(String(bytes)).toContain('m-399');
});

test.for(['zstd', 'br', 'gzip'])(
  'schema and guides are sent as %s, from bytes that are made once',
  async (coding, { gateway }) => {
    for (const file of files) {
      const plain = await exchange(gateway, file, null);
      const [first, second] = [await exchange(gateway, file, coding), await exchange(gateway, file, coding)];
      expect(first.coding).toBe(coding);
      expect(first.headers).toMatchObject({
        vary: expect.stringMatching(/accept-encoding/i),
        'content-length': String(first.bytes.length),
        etag: plain.headers.etag,
      });
      expect(first.bytes.equals(second.bytes)).toBe(true);
      expect(first.bytes.length * 1.5).toBeLessThan(plain.bytes.length);
      expect((await decoders[coding]?.(first.bytes))?.equals(plain.bytes)).toBe(true);
    }
  },
);

test('COMPRESSION=false leaves all of it to a proxy', async ({ startWith, upstream }) => {
  upstream.script(listed);
  const closed = await startWith({ COMPRESSION: 'false' });
  for (const sent of [posted(queryOf(400)), inUrl(queryOf(400)), ...files])
    expect((await exchange(closed, sent, 'zstd, br, gzip')).coding).toBe('identity');
});
