import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { acceptEncodingLength } from '../../../src/http/response/compression.ts';
import { compressedFrom } from '../../../src/http/response/response-writer.ts';
import { describe, expect, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import { cutOff, pageReply, stall, watched, type Script } from '../../support/scripted-upstream.ts';

const decoders: Readonly<Record<string, (windowLog: number) => Transform>> = {
  identity: () => new PassThrough(),
  zstd: (windowLog) => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: windowLog } }),
  br: () => zlib.createBrotliDecompress(),
  gzip: () => zlib.createGunzip(),
};
const codings = ['zstd', 'br', 'gzip'];

/** A stream as it was before it was sent in a coding. */
function decoded(stream: Readable, coding: string, windowLog = 27): Transform {
  const decoder = decoders[coding]?.(windowLog) ?? new PassThrough();
  stream.once('error', (error) => decoder.destroy(error));
  return stream.pipe(decoder);
}

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly accept?: string;
}

/** Null sends no Accept-Encoding; several are sent as several headers. */
type Codings = string | string[] | null;

/** Sends a request to the letter, and reads nothing: fetch would choose codings by itself, and hide them. */
function open({ url }: Gateway, sent: Sent, accepted: Codings): Promise<IncomingMessage> {
  const { path = '/graphql', body, method = body === undefined ? 'GET' : 'POST', accept = '*/*' } = sent;
  const headers = {
    accept,
    authorization: 'Bearer test-key',
    'content-type': 'application/json',
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    ...(accepted !== null && { 'accept-encoding': accepted }),
  };
  return new Promise((resolve, reject) => {
    send(url + path, { method, headers, agent: false }, resolve)
      .once('error', reject)
      .end(body);
  });
}

async function exchange(gateway: Gateway, sent: Sent, accepted: Codings) {
  const response = await open(gateway, sent, accepted);
  const { statusCode: status, headers } = response;
  const coding = headers['content-encoding'] ?? 'identity';
  const bytes = await buffer(response);
  return { status, headers, coding, bytes, text: String(await buffer(decoded(Readable.from([bytes]), coding))) };
}

const rows = Array.from({ length: 400 }, (_, index) => ({
  mission_id: `m-${index}`,
  name: `Mission Zürich ${index} 😀`,
}));
const listed: Script = (request) => pageReply(rows, request, 1_000);
const queryOf = (first: number): string => `{ missions(first: ${first}) { totalCount nodes { id name } } }`;
const posted = (query: string, accept = '*/*'): Sent => ({ body: JSON.stringify({ query }), accept });
const inUrl = (query: string): Sent => ({ path: `/graphql?query=${encodeURIComponent(query)}` });
const files: readonly Sent[] = [{ path: '/schema.graphql' }, { path: '/docs/guide/start.md' }];
const vary = 'Authorization, Accept, Accept-Encoding';

test.for<readonly [accepted: Codings, coding: string]>([
  [null, 'identity'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['zstd;q=0.5, br;q=0.8, gzip', 'gzip'],
  ['identity, gzip;q=0.5', 'identity'],
  [['gzip;q=0.1', 'br;q=0.2'], 'br'],
  [`gzip${', gzip'.repeat(1 + acceptEncodingLength / 6)}`, 'identity'],
])('an answer for Accept-Encoding %j is sent as %s', async ([accepted, coding], { gateway, upstream }) => {
  upstream.script(listed);
  // One is not compressed, one at once, and one in a thread.
  for (const size of [1, 30, 400])
    for (const sent of [posted(queryOf(size)), inUrl(queryOf(size))]) {
      const plain = await exchange(gateway, sent, null);
      const { status, headers, coding: chosen, bytes, text } = await exchange(gateway, sent, accepted);
      expect([status, chosen]).toEqual([200, plain.bytes.length < compressedFrom ? 'identity' : coding]);
      expect(headers).toMatchObject({ 'content-length': String(bytes.length), vary });
      expect(text).toBe(plain.text);
      if (chosen !== 'identity' && size === 400) expect(bytes.length * 3).toBeLessThan(plain.bytes.length);
    }
});

test('streams and answers in pieces are left as they are', async ({ gateway, upstream }) => {
  upstream.script(listed);
  const sent = posted(`{ ... @defer ${queryOf(400)} }`, 'multipart/mixed');
  const { headers, coding, text } = await exchange(gateway, sent, 'zstd, gzip');
  expect([headers['content-type'], coding]).toEqual([expect.stringMatching(/^multipart\/mixed/), 'identity']);
  expect(text).toContain('m-399');
});

test('COMPRESSION=false leaves all of it to a proxy', async ({ startWith, upstream }) => {
  upstream.script(listed);
  const closed = await startWith({ COMPRESSION: 'false' });
  for (const sent of [posted(queryOf(400)), inUrl(queryOf(400)), ...files])
    expect((await exchange(closed, sent, 'zstd, br, gzip')).coding).toBe('identity');
});

describe.for(codings)('in %s', (coding) => {
  const report = { path: '/exports/charges-breakdown.csv?startDate=2026-10-01' };
  const csv = { 'content-type': 'text/csv' };
  // The window is what each download holds in memory, at both ends.
  const windowLog = 18;

  test('schema and guides are sent from bytes that are made once', async ({ gateway }) => {
    for (const file of files) {
      const plain = await exchange(gateway, file, null);
      const [first, second] = [await exchange(gateway, file, coding), await exchange(gateway, file, coding)];
      expect([first.coding, first.text]).toEqual([coding, plain.text]);
      expect(first.headers).toMatchObject({
        vary: expect.stringMatching(/accept-encoding/i),
        'content-length': String(first.bytes.length),
        etag: plain.headers.etag,
      });
      expect(first.bytes.equals(second.bytes)).toBe(true);
      expect(first.bytes.length * 1.5).toBeLessThan(plain.bytes.length);
    }
  });

  test('a report has the bytes of the report', async ({ gateway, upstream }) => {
    const bytes = Buffer.concat([Buffer.from('tn,cost\n'), randomBytes(100_000), Buffer.alloc(500_000, 'a,1\n')]);
    upstream.script(() => ({ act: (res) => res.writeHead(200, csv).end(bytes) }));
    const response = await open(gateway, report, coding);
    expect(response.headers).toMatchObject({
      'content-encoding': coding,
      'content-type': 'text/csv; charset=utf-8',
      vary,
    });
    expect(response.headers).not.toHaveProperty('content-length');
    expect((await buffer(decoded(response, coding, windowLog))).equals(bytes)).toBe(true);
    const head = await open(gateway, { ...report, method: 'HEAD' }, coding);
    expect(head.headers['content-encoding']).toBe(coding);
  });

  test('a report comes line by line as its upstream sends it', async ({ gateway, upstream }) => {
    const { reply, left } = watched(stall('tn,cost\n', { headers: csv }));
    upstream.script(() => reply);
    const response = await open(gateway, report, coding);
    expect(String((await once(decoded(response, coding, windowLog), 'data'))[0])).toBe('tn,cost\n');
    response.destroy();
    await left;
  });

  test('a report that breaks off is cut off, and not taken for whole', async ({ gateway, upstream }) => {
    upstream.script(() => cutOff(`tn,cost\n${'a,1\n'.repeat(1_000)}`, { headers: csv }));
    await expect(open(gateway, report, coding).then(buffer)).rejects.toThrow(/^(?:aborted|socket hang up)$/);
  });
});
