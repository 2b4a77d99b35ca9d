import type { ServerResponse } from 'node:http';
import { describe } from 'vitest';
import { createTransport } from '../../../src/upstream/transport/transport.ts';
import { expect, test } from '../../support/gateway.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';

const document = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const mebibyte = 1_048_576;
const json = { 'content-type': 'application/json' };

/** Sends spaces without end, as fast as they are taken, and tells how many went out and whether it was cut off. */
function flood(upstream: ScriptedUpstream, status = 200) {
  const seen = { sent: 0, isClosed: false };
  const chunk = Buffer.alloc(65_536, ' ');
  const send = (res: ServerResponse): void => {
    while (!res.destroyed) {
      seen.sent += chunk.length;
      if (!res.write(chunk)) return;
    }
  };
  upstream.script(() => ({
    act: (res) => {
      res.on('close', () => (seen.isClosed = true)).on('drain', () => send(res));
      res.writeHead(status, json);
      send(res);
    },
  }));
  return seen;
}

const tooLarge = {
  message: expect.stringContaining(String(mebibyte)),
  extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: false, upstream: { operation: 'GET /charges_summary' } },
};

describe('a response that is larger than the bound of bodies', () => {
  test.for([200, 404, 500, 503])(
    'is cut off and costs its own field: status %d',
    async (status, { startWith, upstream }) => {
      const gateway = await startWith({ UPSTREAM_MAX_BODY_BYTES: String(mebibyte), UPSTREAM_RETRIES: '2' });
      const seen = flood(upstream, status);
      const { data, errors } = await gateway.query(document);
      expect(data).toEqual({ chargesSummary: null });
      expect(errors).toMatchObject([tooLarge]);
      await expect.poll(() => seen.isClosed).toBe(true);
      // What the system's buffers hold of a connection on loopback comes on top.
      expect(seen.sent).toBeLessThan(mebibyte + 16 * mebibyte);
      expect(upstream.requests).toHaveLength(1);
    },
  );

  test('is refused by its content-length, before a byte of it has come', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_BODY_BYTES: String(mebibyte) });
    const closed = Promise.withResolvers<void>();
    upstream.script(() => ({
      act: (res) => {
        res.on('close', () => closed.resolve());
        res.writeHead(200, { ...json, 'content-length': mebibyte + 1 });
        res.flushHeaders();
      },
    }));
    expect((await gateway.query(document)).errors).toMatchObject([tooLarge]);
    await closed.promise;
  });
});

test.for([
  [-1, 'answered'],
  [0, 'answered'],
  [1, 'refused'],
] as const)('a body of the limit and %d bytes more is %s', async ([more, expected], { upstream }) => {
  const maxBodyBytes = 100_000;
  const limits = { timeoutMs: 10_000, connectTimeoutMs: 1_000, stallTimeoutMs: 5_000, maxBodyBytes };
  const transport = createTransport(upstream.baseUrl, limits);
  const body = Buffer.alloc(maxBodyBytes + more, ' ');
  const request = { path: '/x', headers: {}, signal: new AbortController().signal };
  for (const withLength of [true, false]) {
    upstream.script(() => ({
      act: (res) => {
        res.writeHead(200, withLength ? { 'content-length': body.length } : {});
        res.end(body);
      },
    }));
    const outcome = await transport.collect(request).then(
      (answer) => (answer.body.length === body.length ? 'answered' : 'cut'),
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE' });
        return 'refused';
      },
    );
    expect(outcome).toBe(expected);
  }
  await transport.close();
});
