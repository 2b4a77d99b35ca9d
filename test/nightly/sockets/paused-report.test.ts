import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { PassThrough, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { expect, test, type Gateway } from '../../support/gateway.ts';

const path = '/exports/charges-breakdown.csv?startDate=2026-10-01';
const csv = { 'content-type': 'text/csv' };

const decoders: Readonly<Record<string, () => Transform>> = {
  // The window is what each download holds in memory, at both ends.
  zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 18 } }),
  br: () => zlib.createBrotliDecompress(),
  gzip: () => zlib.createGunzip(),
  identity: () => new PassThrough(),
};

/** Opens the report over a connection of its own, without reading it. */
function open({ url }: Gateway, coding: string, method = 'GET'): Promise<IncomingMessage> {
  const headers = { authorization: 'Bearer test-key', 'accept-encoding': coding };
  return new Promise((resolve, reject) => {
    request(url + path, { method, headers, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
}

function decoded(response: IncomingMessage, coding: string): Transform {
  const decoder = decoders[coding]?.();
  if (decoder === undefined) throw new Error(`There is no decoder of ${coding}.`);
  response.once('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

test.for(Object.keys(decoders))(
  'a report in %s pauses its upstream while its reader pauses',
  async (coding, { gateway, upstream }) => {
    // More than any window holds, so that nothing repeats.
    const chunks = Array.from({ length: 64 }, () => randomBytes(65_536));
    const most = 700;
    let sent = 0;
    const pump = async (res: ServerResponse): Promise<void> => {
      res.writeHead(200, csv);
      res.write('tn,cost\n');
      for (; sent < most && !res.destroyed; sent++)
        if (!res.write(chunks[sent % chunks.length])) await once(res, 'drain').catch(() => {});
      res.end();
    };
    upstream.script(() => ({ act: (res) => void pump(res) }));
    const response = await open(gateway, coding);
    let last = -1;
    const hasStopped = (): boolean => {
      const isSame = sent > 0 && sent === last;
      last = sent;
      return isSame;
    };
    await expect.poll(hasStopped, { interval: 250 }).toBe(true);
    // The buffers of two sockets on loopback hold so much, and no more.
    expect(sent * 65_536).toBeLessThan(40_000_000);
    const length = (await buffer(decoded(response, coding))).length;
    expect(length).toBe(8 + most * 65_536);
  },
);

test('a report waits for a reader longer than the upstream timeout', async ({ startWith, upstream }) => {
  const gateway = await startWith({ UPSTREAM_TIMEOUT_MS: '200' });
  const report = Buffer.alloc(32 * 1_048_576, 'tn,cost\n');
  upstream.script(({ path: asked }) => ({
    act: (res) => {
      // Only the report is answered.
      if (asked === '/charges_breakdown') res.writeHead(200, csv).end(report);
    },
  }));
  const response = await open(gateway, 'identity');
  // Another call, begun behind it, runs into the time-out of the upstream, and then one more.
  for (let calls = 0; calls < 2; calls++) {
    const { errors } = await gateway.query('{ missions { totalCount } }');
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  }
  expect((await buffer(response)).length).toBe(report.length);
});
