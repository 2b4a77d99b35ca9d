import { connect, type Socket } from 'node:net';
import { describe } from 'vitest';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { frame, upgradeHead } from '../../support/streams.ts';
import { valueOf } from '../../support/metrics.ts';
import { missionRecord, webhookDeliveryRecord } from '../../support/records.ts';
import { refusal, type ScriptedUpstream } from '../../support/scripted-upstream.ts';

// A machine that is busy with other things takes its time.
const patient = { timeout: 40_000 };
const mebibyte = 1_048_576;
// The kernel keeps some megabytes of each answer for its reader, and the rest waits in the process.
const answerBytes = 8 * mebibyte;
/** Finished answers may have four times as many bytes as events. */
const settings = { SUBSCRIPTION_BUFFER_BYTES: String((10 * answerBytes) / 4) };
/** As many answers as a caller may leave in the process: two that wait whole. */
const share = 2;
const query = '{ missions(first: 8) { nodes { metadata } } }';
/** The API refuses the key of its second call, for which it does not accept it any longer when the answer is sent. */
const refusedLater = '{ webhookDeliveries(first: 16) { nodes { webhook { payload } ipConnection { id } } } }';

/** An API that answers good keys with a large list, and refuses others. */
function script(upstream: ScriptedUpstream): void {
  const metadata = { text: 'x'.repeat(answerBytes / 8) };
  const data = Array.from({ length: 8 }, (_, index) => missionRecord({ mission_id: `m-${index}`, metadata }));
  const text = JSON.stringify({ data, meta: { total_results: 8 } });
  upstream.script(({ headers }) =>
    headers.authorization?.startsWith('Bearer good') === true
      ? { text, headers: { 'content-type': 'application/json' } }
      : refusal(401, '10009', 'Invalid'),
  );
}

interface Asked {
  readonly socket: Socket;
  readonly isClosed: () => boolean;
  readonly received: () => number;
}

// Then an answer has begun, and all that the kernel does not take of it waits.
const begun = 100_000;

/** Sends bytes over a connection of its own, of which little more than the beginning is read. */
function send(gateway: Gateway, bytes: string | Buffer): Asked {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  let [isClosed, received] = [false, 0];
  socket.once('close', () => (isClosed = true));
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > begun && received - chunk.length <= begun) socket.pause();
  });
  socket.write(bytes);
  return { socket, isClosed: () => isClosed, received: () => received };
}

function ask(gateway: Gateway, key: string, asked = query): Asked {
  const body = JSON.stringify({ query: asked });
  return send(
    gateway,
    [
      'POST /graphql HTTP/1.1',
      'host: a',
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
}

const askBySocket = (gateway: Gateway, key: string): Asked =>
  send(
    gateway,
    Buffer.concat([
      Buffer.from(upgradeHead({ authorization: `Bearer ${key}` })),
      frame(1, JSON.stringify({ type: 'connection_init' })),
      frame(1, JSON.stringify({ id: '1', type: 'subscribe', payload: { query } })),
    ]),
  );

const closedForRoom = (gateway: Gateway) => valueOf(gateway, 'switchboard_stalled_readers_total');

/** Has answers read to their end, and tells which of them came whole. */
async function wholeOf(all: readonly Asked[]): Promise<readonly boolean[]> {
  for (const { socket } of all) socket.resume();
  await expect.poll(() => all.every((each) => each.isClosed() || each.received() > answerBytes), patient).toBe(true);
  for (const { socket } of all) socket.destroy();
  return all.map((each) => each.received() > answerBytes);
}

/** Asks one after another, each when the answer before it waits for its reader. */
async function askInTurn(upstream: ScriptedUpstream, asks: readonly (() => Asked)[]) {
  const all: Asked[] = [];
  for (const one of asks) {
    const { length } = upstream.requests;
    all.push(one());
    await expect.poll(() => upstream.requests.length, patient).toBe(length + 1);
    await expect.poll(() => all.at(-1)?.received() ?? 0, patient).toBeGreaterThan(begun);
  }
  return all;
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('finished answers that wait for their readers', () => {
  test.for([
    ['HTTP', ask],
    ['WebSocket', askBySocket],
  ] as const)(
    'have one bound: a caller has a quarter, over %s; the slowest ends',
    async ([, way], { startWith, upstream }) => {
      const gateway = await startWith(settings);
      script(upstream);
      for (const key of ['good-a', 'good-b']) await gateway.query(query, { key });
      const other = await askInTurn(upstream, [() => way(gateway, 'good-b')]);
      const all = await askInTurn(
        upstream,
        times(4, () => () => way(gateway, 'good-a')),
      );
      await expect.poll(() => closedForRoom(gateway), patient).toBe(4 - share);
      // Which of them is the slowest, the kernel decides; nobody's but this caller's ended.
      const [isOtherWhole, ...areWhole] = await wholeOf([...other, ...all]);
      expect([isOtherWhole, areWhole.filter(Boolean).length]).toEqual([true, share]);
      // What has been read counts no more.
      const again = await askInTurn(
        upstream,
        times(share, () => () => way(gateway, 'good-a')),
      );
      expect(await wholeOf(again)).toEqual(Array(share).fill(true));
      expect(await closedForRoom(gateway)).toBe(4 - share);
    },
  );

  test('of both ways count together', async ({ startWith, upstream }) => {
    const gateway = await startWith(settings);
    script(upstream);
    await gateway.query(query, { key: 'good' });
    const ways = [ask, askBySocket, ask, askBySocket];
    const all = await askInTurn(
      upstream,
      ways.map((way) => () => way(gateway, 'good')),
    );
    expect((await wholeOf(all)).filter((isWhole) => isWhole)).toHaveLength(share);
  });

  test('of all callers together have a bound, beyond which the slowest of the largest ends', async ({
    startWith,
    upstream,
  }) => {
    // There is room for four, and each caller may have one.
    const gateway = await startWith({ SUBSCRIPTION_BUFFER_BYTES: String((4.5 * answerBytes) / 4) });
    script(upstream);
    const all = await askInTurn(
      upstream,
      ['a', 'b', 'c', 'd', 'e'].map((name) => () => ask(gateway, `good-${name}`)),
    );
    // Which of equally large ones is the slowest, the kernel decides.
    expect((await wholeOf(all)).filter(Boolean)).toHaveLength(4);
  });

  test('of all keys that the API does not accept have one quarter together', async ({ startWith, upstream }) => {
    const gateway = await startWith(settings);
    const payload = { text: 'x'.repeat(answerBytes / 16), connection_id: '1' };
    const data = Array.from({ length: 16 }, (_, n) => webhookDeliveryRecord({ id: `d-${n}`, webhook: { payload } }));
    const text = JSON.stringify({ data, meta: { total_results: 16 } });
    upstream.script(({ path }) =>
      path === '/webhook_deliveries'
        ? { text, headers: { 'content-type': 'application/json' } }
        : refusal(401, '10009', 'Invalid'),
    );
    const all: Asked[] = [];
    for (const key of ['a', 'a', 'b', 'b']) {
      all.push(ask(gateway, key, refusedLater));
      await expect.poll(() => all.at(-1)?.received() ?? 0, patient).toBeGreaterThan(begun);
    }
    // By themselves, each of the two would have its share.
    expect((await wholeOf(all)).filter(Boolean)).toHaveLength(share);
  });
});
