import type { ServerResponse } from 'node:http';
import { describe, expect, test, askAndLeave, type Gateway } from '../../support/gateway.ts';
import { chargesSummaryRecord, ipConnectionRecord } from '../../support/records.ts';
import { watched, type Reply, cutOff, stall, type SeenRequest } from '../../support/scripted-upstream.ts';

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

// A body that is being read takes three times its bytes: there is room for one of three mebibytes, and for nothing beside it.
const tight = {
  UPSTREAM_MAX_BODY_BYTES: String(4 * mebibyte),
  UPSTREAM_MAX_HELD_BYTES: String(13 * mebibyte),
  // Room that is not freed is not there after ten seconds either; a busy machine may need a moment for room that is.
  UPSTREAM_QUEUE_TIMEOUT_MS: '10000',
};
const named = (name: string | number): string =>
  `{ ipConnections(first: 1, filter: { fqdn: "${name}" }) { nodes { id connectionName } } }`;
const nameOf = ({ query }: SeenRequest): string => query['filter[fqdn]'] ?? '';

/** A page whose only row has so many bytes. */
function pageOf(name: string, bytes: number): Buffer {
  const row = ipConnectionRecord({ id: name, connection_name: name, tags: ['x'.repeat(bytes)] });
  return Buffer.from(JSON.stringify({ data: [row], meta: { total_results: 1, page_size: 250 } }));
}

const large = pageOf('large', 3 * mebibyte);
const withLength = (body: Buffer) => ({ ...json, 'content-length': String(body.length) });
const whole = (body: Buffer, isTold = true, status = 200): Reply => ({
  act: (res) => res.writeHead(status, isTold ? withLength(body) : json).end(body),
});

/** Null where it was answered; else the extensions of its error. */
async function failureOf(gateway: Gateway, name: string, key = 'test-key'): Promise<Record<string, unknown> | null> {
  const { errors } = await gateway.query(named(name), { key });
  return errors.length === 0 ? null : errors[0].extensions;
}

describe('large bodies', () => {
  test('wait for each other, and all are read, of told length or not', async ({ startWith, upstream }) => {
    const gateway = await startWith(tight);
    upstream.script((request) => whole(pageOf(nameOf(request), 3 * mebibyte), Number(nameOf(request)) % 2 === 0));
    const asked = Array.from({ length: 8 }, async (_, n) => {
      const { data, errors } = await gateway.query(named(n), { key: `key-${n % 3}` });
      return [errors, data.ipConnections?.nodes[0].connectionName];
    });
    expect(await Promise.all(asked)).toEqual(asked.map((_, n) => [[], String(n)]));
    expect(upstream.requests).toHaveLength(8);
  });

  test('wait for room as long as calls for a slot, while small ones are read', async ({ startWith, upstream }) => {
    const gateway = await startWith({ ...tight, UPSTREAM_QUEUE_TIMEOUT_MS: '10' });
    // Large bodies begin, and go on when they are told to; small ones come at once.
    const held: ServerResponse[] = [];
    const begin = (res: ServerResponse): void => {
      res.writeHead(200, withLength(large)).write(large.subarray(0, 1_000));
      held.push(res);
    };
    upstream.script((request) =>
      nameOf(request).startsWith('large') ? { act: begin } : whole(pageOf(nameOf(request), 10)),
    );
    const first = failureOf(gateway, 'large', 'a');
    await expect.poll(() => held.length).toBe(1);
    // More often than a breaker would stand, were it the upstream's failure.
    for (let n = 0; n < 25; n++)
      expect(await failureOf(gateway, `large ${n}`, 'b')).toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
        retryable: true,
        retryAfterSeconds: 1,
        upstream: { operation: 'GET /ip_connections' },
      });
    expect(await failureOf(gateway, 'small', 'b')).toBeNull();
    held[0]?.end(large.subarray(1_000));
    expect(await first).toBeNull();
    const next = failureOf(gateway, 'large again', 'b');
    await expect.poll(() => held.length).toBe(27);
    held[26]?.end(large.subarray(1_000));
    expect(await next).toBeNull();
  });

  test.for<[string, Reply, Record<string, string>?]>([
    ['breaks off', cutOff(large.toString('utf8', 1_000), { headers: withLength(large) })],
    ['is an error', whole(large, true, 500)],
    ['is no JSON', whole(large.subarray(1_000), false)],
    ['grows beyond what is read', whole(Buffer.alloc(9 * mebibyte, ' '), false)],
    ['is asked for again', whole(large, true, 503), { UPSTREAM_RETRIES: '2' }],
    ['comes too slowly', stall('{', { headers: withLength(large) }), { UPSTREAM_TIMEOUT_MS: '500' }],
  ])('free their room where one %s', async ([, reply, settings], { startWith, upstream }) => {
    const gateway = await startWith({ ...tight, ...settings });
    upstream.script(() => reply);
    expect(await failureOf(gateway, 'bad', 'a')).not.toBeNull();
    upstream.script(() => whole(large));
    expect(await failureOf(gateway, 'good', 'b')).toBeNull();
  });

  test('free their room where their caller leaves', async ({ startWith, upstream }) => {
    const gateway = await startWith(tight);
    const reply = stall('{"data":', { headers: withLength(large) });
    await askAndLeave({ gateway, upstream }, named('large'), { reply });
    upstream.script(() => whole(large));
    expect(await failureOf(gateway, 'good', 'b')).toBeNull();
  });

  test('keep their room while others wait, for longer than a body may stall', async ({ startWith, upstream }) => {
    const gateway = await startWith({ ...tight, UPSTREAM_STALL_TIMEOUT_MS: '200' });
    const slow: ServerResponse[] = [];
    upstream.script((request) => {
      if (request.path === '/ai/missions') return { act: (res) => void slow.push(res) };
      return nameOf(request) === 'stalls' ? stall('{', { headers: json }) : whole(large);
    });
    const first = gateway.query(`{ missions { totalCount } ${named('large').slice(1)}`, { key: 'a' });
    await expect.poll(() => [slow.length, upstream.requests.length]).toEqual([1, 2]);
    let isDone = false;
    const second = failureOf(gateway, 'large', 'b').finally(() => (isDone = true));
    await expect.poll(() => upstream.requests.length).toBe(3);
    expect(await failureOf(gateway, 'stalls', 'c')).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    expect(isDone).toBe(false);
    slow[0]?.writeHead(200, json).end(JSON.stringify({ data: [], meta: { total_results: 0 } }));
    expect((await first).errors).toEqual([]);
    expect(await second).toBeNull();
  });

  test('are refused where they are brackets, which take twenty times their length', async ({ startWith, upstream }) => {
    const gateway = await startWith(tight);
    for (const brackets of ['{},', '[],', '[[]],']) {
      const rows = brackets.repeat((2 * mebibyte) / brackets.length);
      upstream.script(() => whole(Buffer.from(`{"data":[${rows}{}]}`)));
      const { errors } = await gateway.query(named('dense'));
      expect(errors).toMatchObject([
        { message: expect.stringContaining('more values than are read'), extensions: { retryable: false } },
      ]);
    }
    upstream.script(() => whole(large));
    expect(await failureOf(gateway, 'good')).toBeNull();
  });
});
