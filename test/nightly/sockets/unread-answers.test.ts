import { connect, type Socket } from 'node:net';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { queryBytes } from '../../support/http.ts';
import { frame, upgradeHead } from '../../support/streams.ts';
import { valueOf } from '../../support/metrics.ts';
import { missionRecord, webhookDeliveryRecord } from '../../support/records.ts';
import { pageReply, refusal, type ScriptedUpstream } from '../../support/scripted-upstream.ts';

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

/** An API that answers with a large list. */
function script(upstream: ScriptedUpstream): void {
  const metadata = { text: 'x'.repeat(answerBytes / 8) };
  const data = Array.from({ length: 8 }, (_, index) => missionRecord({ mission_id: `m-${index}`, metadata }));
  const text = JSON.stringify({ data, meta: { total_results: 8 } });
  upstream.script(() => ({ text, headers: { 'content-type': 'application/json' } }));
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

const ask = (gateway: Gateway, key: string, asked = query): Asked =>
  send(gateway, queryBytes(asked, `authorization: Bearer ${key}`));

const askBySocket = (gateway: Gateway, key: string): Asked =>
  send(
    gateway,
    Buffer.concat([
      Buffer.from(upgradeHead({ authorization: `Bearer ${key}` })),
      frame(1, JSON.stringify({ type: 'connection_init' })),
      frame(1, JSON.stringify({ id: '1', type: 'subscribe', payload: { query } })),
    ]),
  );

/** Has answers read to their end, and tells which of them came whole. */
async function wholeOf(all: readonly Asked[]): Promise<readonly boolean[]> {
  for (const { socket } of all) socket.resume();
  await expect.poll(() => all.every((each) => each.isClosed() || each.received() > answerBytes), patient).toBe(true);
  for (const { socket } of all) socket.destroy();
  return all.map((each) => each.received() > answerBytes);
}

/** Asks one after another, each when the answer before it waits for its reader. */
async function askInTurn(asks: readonly (() => Asked)[]) {
  const all: Asked[] = [];
  for (const one of asks) {
    all.push(one());
    await expect.poll(() => all.at(-1)?.received() ?? 0, patient).toBeGreaterThan(begun);
  }
  return all;
}

test.for<[way: string, ways: readonly (typeof askBySocket)[]]>([
  ['over HTTP', [ask, ask]],
  ['over WebSocket', [askBySocket, askBySocket]],
  ['both ways together', [ask, askBySocket]],
])(
  'finished answers that wait for their readers have one bound, %s: a caller has a quarter; the slowest ends',
  async ([, ways], { startWith, upstream }) => {
    const gateway = await startWith(settings);
    script(upstream);
    const closedForRoom = () => valueOf(gateway, 'switchboard_stalled_readers_total');
    const asks = (key: string) => ways.map((way) => () => way(gateway, key));
    for (const key of ['good-a', 'good-b']) await gateway.query(query, { key });
    const other = await askInTurn(asks('good-b').slice(0, 1));
    const all = await askInTurn([...asks('good-a'), ...asks('good-a')]);
    await expect.poll(closedForRoom, patient).toBe(all.length - share);
    // Which of them is the slowest, the kernel decides, but none that was just answered; nobody's but this caller's ended.
    const [isOtherWhole, ...areWhole] = await wholeOf([...other, ...all]);
    expect([isOtherWhole, areWhole.at(-1), areWhole.filter(Boolean).length]).toEqual([true, true, share]);
    // What has been read counts no more.
    expect(await wholeOf(await askInTurn(asks('good-a')))).toEqual([true, true]);
    expect(await closedForRoom()).toBe(all.length - share);
  },
);

test('finished answers of all callers have one bound, beyond which the slowest of the largest ends', async ({
  startWith,
  upstream,
}) => {
  // There is room for four, and each caller may have one.
  const gateway = await startWith({ SUBSCRIPTION_BUFFER_BYTES: String((4.5 * answerBytes) / 4) });
  script(upstream);
  const all = await askInTurn(['a', 'b', 'c', 'd', 'e'].map((name) => () => ask(gateway, `good-${name}`)));
  // Which of equally large ones is the slowest, the kernel decides.
  expect((await wholeOf(all)).filter(Boolean)).toHaveLength(4);
});

test('finished answers for all keys that the API does not accept have one quarter together', async ({
  startWith,
  upstream,
}) => {
  const gateway = await startWith(settings);
  const payload = { text: 'x'.repeat(answerBytes / 16), connection_id: '1' };
  const data = Array.from({ length: 16 }, (_, n) => webhookDeliveryRecord({ id: `d-${n}`, webhook: { payload } }));
  // It refuses each key at its second call, and no longer accepts it when the answer is sent.
  upstream.script((request) =>
    request.path === '/webhook_deliveries' ? pageReply(data, request) : refusal(401, '10009', 'Invalid'),
  );
  const refused = '{ webhookDeliveries(first: 16) { nodes { webhook { payload } ipConnection { id } } } }';
  const all = await askInTurn(['a', 'a', 'b', 'b'].map((key) => () => ask(gateway, key, refused)));
  // By themselves, each of the two would have its share.
  expect((await wholeOf(all)).filter(Boolean)).toHaveLength(share);
});
