import { request as send, type IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptEncodingLength } from '../../../src/http/response/compression.ts';
import { compressedFrom } from '../../../src/bounds.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { startScriptedUpstream, type ScriptedUpstream } from '../../support/scripted-upstream.ts';

const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  zstd: promisify(zlib.zstdDecompress),
  br: promisify(zlib.brotliDecompress),
  gzip: promisify(zlib.gunzip),
};

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  /** Null sends no Accept-Encoding; several are sent as several headers. */
  readonly accepts: string | string[] | null;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly coding: string;
  /** As it came. */
  readonly bytes: Buffer;
}

/** Sends a request to the letter: fetch would choose codings by itself, and hide them. */
function exchange(
  { url }: Gateway,
  { method = 'POST', path = '/graphql', body, accepts, headers }: Sent,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const own = {
      authorization: 'Bearer test-key',
      'content-type': 'application/json',
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      ...(accepts !== null && { 'accept-encoding': accepts }),
      ...headers,
    };
    const asking = send(url + path, { method, headers: own, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('error', reject);
      res.once('end', () =>
        resolve({
          status: res.statusCode,
          headers: res.headers,
          coding: res.headers['content-encoding'] ?? 'identity',
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    asking.once('error', reject).end(body);
  });
}

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ mission_id: `mission-${index}`, name: `Mission Zürich ${index} 😀` }));
// As many rows as a small, a middle-sized and a large answer has.
const sizes = [0, 30, 400];
const queryOf = (first: number): string =>
  `{ missions(first: ${Math.max(1, first)}) { totalCount nodes { id name } } }`;
const bodyOf = (first: number): string => JSON.stringify({ query: queryOf(first) });
const urlOf = (first: number): string => `/graphql?query=${encodeURIComponent(queryOf(first))}`;

describe('an answer in any coding', () => {
  let upstream: ScriptedUpstream;
  let gateway: Gateway;
  const plain = new Map<number, string>();

  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    upstream.script((request) => {
      const size = Number(new URLSearchParams(request.rawQuery).get('page[size]') ?? 20);
      const number = Number(new URLSearchParams(request.rawQuery).get('page[number]') ?? 1);
      const listed = rows(400);
      return {
        json: {
          data: listed.slice((number - 1) * size, number * size),
          meta: { page_number: number, page_size: size, total_results: 400, total_pages: Math.ceil(400 / size) },
        },
      };
    });
    gateway = await startGateway(upstream.baseUrl);
    // One is compressed at once, one in a thread.
    for (const size of sizes)
      plain.set(size, String((await exchange(gateway, { body: bodyOf(size), accepts: null })).bytes));
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });

  test.for<readonly [accepts: Sent['accepts'], coding: string]>([
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
  ])('for Accept-Encoding %j is sent as %s', async ([accepts, coding]) => {
    for (const size of sizes)
      for (const sent of [{ body: bodyOf(size) }, { method: 'GET', path: urlOf(size) }]) {
        const { status, headers, coding: chosen, bytes } = await exchange(gateway, { ...sent, accepts });
        const plainBytes = Buffer.byteLength(plain.get(size) ?? '');
        expect([status, chosen]).toEqual([200, plainBytes < compressedFrom ? 'identity' : coding]);
        expect(Number(headers['content-length'])).toBe(bytes.length);
        expect(headers.vary).toBe('Authorization, Accept, Accept-Encoding');
        expect(String(await decoders[chosen]?.(bytes))).toBe(plain.get(size));
        if (chosen !== 'identity' && size === 400) expect(bytes.length * 3).toBeLessThan(plainBytes);
      }
  });

  test('leaves streams and answers in pieces as they are', async () => {
    const pieces = await exchange(gateway, {
      body: JSON.stringify({ query: `{ ... @defer ${queryOf(400)} }` }),
      accepts: 'zstd, gzip',
      headers: { accept: 'multipart/mixed' },
    });
    expect(pieces.headers['content-type']).toMatch(/^multipart\/mixed/);
    expect(pieces.coding).toBe('identity');
    expect(String(pieces.bytes)).toContain('mission-399');
  });

  test.for(
    ['/schema.graphql', '/docs/guide/start.md'].flatMap((path) =>
      ['zstd', 'br', 'gzip'].map((accepts) => [path, accepts] as const),
    ),
  )('%s is sent as %s, from bytes that are made once', async ([path, accepts]) => {
    const [plainText, first, second] = [
      await exchange(gateway, { method: 'GET', path, accepts: null }),
      await exchange(gateway, { method: 'GET', path, accepts }),
      await exchange(gateway, { method: 'GET', path, accepts }),
    ];
    expect(first.coding).toBe(accepts);
    expect(first.headers.vary).toMatch(/accept-encoding/i);
    expect(Number(first.headers['content-length'])).toBe(first.bytes.length);
    expect(first.headers.etag).toBe(plainText.headers.etag);
    expect(first.bytes.equals(second.bytes)).toBe(true);
    expect(first.bytes.length * 1.5).toBeLessThan(plainText.bytes.length);
    expect((await decoders[accepts]?.(first.bytes))?.equals(plainText.bytes)).toBe(true);
  });

  test('COMPRESSION=false leaves all of it to a proxy', async () => {
    const closed = await startGateway(upstream.baseUrl, { COMPRESSION: 'false' });
    try {
      for (const sent of [
        { body: bodyOf(400) },
        { method: 'GET', path: urlOf(400) },
        { method: 'GET', path: '/schema.graphql' },
        { method: 'GET', path: '/docs/guide/start.md' },
      ])
        expect((await exchange(closed, { ...sent, accepts: 'zstd, br, gzip' })).coding).toBe('identity');
    } finally {
      await closed.close();
    }
  });
});
