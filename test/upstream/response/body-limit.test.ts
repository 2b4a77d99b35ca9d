import { describe } from 'vitest';
import { expect, test } from '../../support/gateway.ts';
import { chargesSummaryRecord } from '../../support/records.ts';
import { watched, type Reply } from '../../support/scripted-upstream.ts';

const document = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const mebibyte = 1_048_576;
const json = { 'content-type': 'application/json' };

const tooLarge = {
  message: expect.stringContaining(String(mebibyte)),
  extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: false, upstream: { operation: 'GET /charges_summary' } },
};

describe('a response that is larger than the bound of bodies', () => {
  test.for([200, 503])('is cut off and costs its own field: status %d', async (status, { startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_BODY_BYTES: String(mebibyte), UPSTREAM_RETRIES: '2' });
    // Spaces without end, as fast as they are taken.
    const chunk = Buffer.alloc(65_536, ' ');
    let sent = 0;
    const { reply, left } = watched({
      act: (res) => {
        const send = (): void => {
          while (!res.destroyed && res.write(chunk)) sent += chunk.length;
        };
        res.on('drain', send).writeHead(status, json);
        send();
      },
    });
    upstream.script(() => reply);
    const { data, errors } = await gateway.query(document);
    expect(data).toEqual({ chargesSummary: null });
    expect(errors).toMatchObject([tooLarge]);
    await left;
    // What the system's buffers hold of a connection on loopback comes on top.
    expect(sent).toBeLessThan(mebibyte + 16 * mebibyte);
    expect(upstream.requests).toHaveLength(1);
  });

  test('has one byte more; where its length is told, none of it is waited for', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_BODY_BYTES: String(mebibyte) });
    const body = JSON.stringify({ data: chargesSummaryRecord() });
    const told = (length: number) => ({ ...json, 'content-length': length });
    for (const [act, errors] of [
      [(res) => res.writeHead(200, json).end(body.padEnd(mebibyte)), []],
      [(res) => res.writeHead(200, json).end(body.padEnd(mebibyte + 1)), [tooLarge]],
      [(res) => res.writeHead(200, told(mebibyte)).end(body.padEnd(mebibyte)), []],
      [(res) => res.writeHead(200, told(mebibyte + 1)).flushHeaders(), [tooLarge]],
    ] satisfies readonly (readonly [NonNullable<Reply['act']>, readonly object[]])[]) {
      upstream.script(() => ({ act }));
      expect((await gateway.query(document)).errors).toMatchObject(errors);
    }
  });
});
