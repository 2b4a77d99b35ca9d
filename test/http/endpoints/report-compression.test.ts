import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { cutOff, stall, watched } from '../../support/scripted-upstream.ts';

const path = '/exports/charges-breakdown.csv?startDate=2026-10-01';
const csv = { 'content-type': 'text/csv' };

const decoders = {
  // The window is what each download holds in memory, at both ends.
  zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 18 } }),
  br: () => zlib.createBrotliDecompress(),
  gzip: () => zlib.createGunzip(),
};
const codings = ['zstd', 'br', 'gzip'] as const;

/** Opens the report over a connection of its own, without reading it. */
function open({ url }: Gateway, coding: string, method = 'GET'): Promise<IncomingMessage> {
  const headers = { authorization: 'Bearer test-key', 'accept-encoding': coding };
  return new Promise((resolve, reject) => {
    request(url + path, { method, headers, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
}

function decoded(response: IncomingMessage, coding: keyof typeof decoders): Transform {
  const decoder = decoders[coding]();
  response.once('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

test.for(codings)('a report in %s has the bytes of the report', async (coding, { gateway, upstream }) => {
  const report = Buffer.concat([Buffer.from('tn,cost\n'), randomBytes(100_000), Buffer.alloc(500_000, 'a,1\n')]);
  upstream.script(() => ({ act: (res) => res.writeHead(200, csv).end(report) }));
  const response = await open(gateway, coding);
  expect(response.headers).toMatchObject({
    'content-encoding': coding,
    'content-type': 'text/csv; charset=utf-8',
    vary: 'Authorization, Accept, Accept-Encoding',
  });
  expect(response.headers).not.toHaveProperty('content-length');
  expect((await buffer(decoded(response, coding))).equals(report)).toBe(true);
  const head = await open(gateway, coding, 'HEAD');
  expect(head.headers['content-encoding']).toBe(coding);
});

test.for(codings)(
  'a report in %s comes line by line as its upstream sends it',
  async (coding, { gateway, upstream }) => {
    const { reply, left } = watched(stall('tn,cost\n', { headers: csv }));
    upstream.script(() => reply);
    const response = await open(gateway, coding);
    expect(String((await once(decoded(response, coding), 'data'))[0])).toBe('tn,cost\n');
    response.destroy();
    await left;
  },
);

test('a compressed report that breaks off is cut off, and not taken for whole', async ({ gateway, upstream }) => {
  upstream.script(() => cutOff(`tn,cost\n${'a,1\n'.repeat(1_000)}`, { headers: csv }));
  for (const coding of codings)
    await expect(open(gateway, coding).then(buffer)).rejects.toThrow(/^(?:aborted|socket hang up)$/);
});
