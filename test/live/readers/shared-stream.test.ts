import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { describe } from 'vitest';
import type { GraphqlRule } from '../../src/http/rules/operation-run.ts';
import { subscribe, type SubscribeOptions } from '../support/event-stream.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import type { JsonRecord } from '../support/records.ts';
import { all, errorsOf, failed, growing, idsOf, quick, seconds } from './subscription.ts';

const heavy = 'subscription { webhookDeliveries { id webhook { payload } } }';
const payloadOf = (bytes: number): JsonRecord => ({ webhook: { payload: { text: 'x'.repeat(bytes) } } });

/** A rule that counts the events that were executed. */
function counting(): { readonly rule: GraphqlRule; events: number } {
  const counted = {
    events: 0,
    rule: {
      finish(result) {
        if (result.data?.['webhookDeliveries'] != null) counted.events++;
        return result;
      },
    } satisfies GraphqlRule,
  };
  return counted;
}

describe('streams of one caller that ask the same', () => {
  test('execute each event once for all of them', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const counted = counting();
    const gateway = await startWith(quick, { changeRules: (rules) => [...rules, counted.rule] });
    const streams = await Promise.all(Array.from({ length: 20 }, () => subscribe(gateway, all)));
    const sent = deliveries.add(seconds(10, 30));
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual(sent);
    expect(counted.events).toBe(30);
    for (const stream of streams) stream.close();
  });

  const others: readonly (readonly [what: string, query: string, options: SubscribeOptions])[] = [
    ['another key', all, { key: 'other-key' }],
    ['another selection', 'subscription { webhookDeliveries { id status } }', {}],
    ['another filter', failed, {}],
    ['other variables', 'subscription ($a: Boolean = true) { webhookDeliveries { id status @include(if: $a) } }', {}],
    ['its cost', all, { headers: { 'x-cost': '1' } }],
    ['ids in its results', all, { headers: { 'last-event-id': '' } }],
  ];

  test.for(others)('share nothing with one that asks for %s', async ([, query, options], { startWith, upstream }) => {
    const deliveries = growing(upstream);
    const counted = counting();
    const gateway = await startWith(quick, { changeRules: (rules) => [...rules, counted.rule] });
    const streams = [await subscribe(gateway, all), await subscribe(gateway, query, options)];
    for (const stream of streams) await stream.begun;
    const sent = deliveries.add([10], { status: 'failed' });
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual(sent);
    expect(counted.events).toBe(2);
    for (const stream of streams) stream.close();
  });

  test('get the errors of an event with request ids of their own, each in its own log line', async ({
    startWith,
    upstream,
  }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith(quick);
    const names = ['id-1', 'id-2', 'id-3'];
    const query = 'subscription { webhookDeliveries { id status } }';
    const streams = await Promise.all(
      names.map((name) => subscribe(gateway, query, { headers: { 'x-request-id': name } })),
    );
    deliveries.add([10], { status: 7 });
    for (const [index, stream] of streams.entries()) {
      await expect.poll(() => errorsOf(stream)).toMatchObject([{ extensions: { requestId: names[index] } }]);
      stream.close();
    }
    const lines = (): readonly string[] => gateway.log.filter((line) => line.includes('(stream)'));
    await expect.poll(() => lines().length).toBe(3);
    for (const line of lines()) expect(JSON.parse(line)).toMatchObject({ errorCodes: ['UPSTREAM_BAD_RESPONSE'] });
  });

  test('go on when the one leaves that an event is executed for', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith(quick);
    const owners = Promise.withResolvers<void>();
    upstream.script(async (request) => {
      if (request.path === '/ip_connections') await owners.promise;
      return deliveries.answer(request);
    });
    const query = 'subscription { webhookDeliveries { id ipConnection { id } } }';
    const streams = await Promise.all([subscribe(gateway, query), subscribe(gateway, query)]);
    const sent = deliveries.add([10]);
    const hasAsked = (): boolean => upstream.requests.some(({ path }) => path === '/ip_connections');
    await expect.poll(hasAsked).toBe(true);
    // One of them is the one.
    streams[0].close();
    owners.resolve();
    await expect.poll(() => idsOf(streams[1])).toEqual(sent);
    expect(errorsOf(streams[1])).toEqual([]);
    streams[1].close();
  });
});

/** Subscribes over a connection of its own, and reads nothing until it is asked to. */
function subscribeUnread({ url }: Gateway) {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ query: heavy });
  const head = 'POST /graphql HTTP/1.1\r\nhost: a\r\nauthorization: Bearer test-key\r\naccept: text/event-stream';
  const socket = connect(Number(port), hostname).pause();
  socket.write(`${head}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  /** Reads until a line begins so, and returns all that was read. */
  async function readUntil(isEnough: (line: string) => boolean): Promise<readonly string[]> {
    const lines: string[] = [];
    for await (const line of createInterface(socket.setEncoding('latin1'))) {
      lines.push(line);
      if (isEnough(line)) break;
    }
    socket.destroy();
    return lines;
  }

  return {
    /** Reads to the end of the stream. */
    read: () => readUntil((line) => line === 'event: complete'),
    /** Reads so many deliveries, or to the end of the stream, and returns their identifiers. */
    async ids(count: number): Promise<readonly string[]> {
      let found = 0;
      return idsIn(
        await readUntil((line) => line === 'event: complete' || (idsIn([line]).length === 1 && ++found === count)),
      );
    },
  };
}

const idsIn = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => /"webhookDeliveries":\{"id":"([^"]+)"/.exec(line)?.[1] ?? []);

describe('what waits for readers', () => {
  test('is bounded, and a burst of more comes whole to a reader who reads', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '50', SUBSCRIPTION_BUFFER_BYTES: '400000' });
    const streams = await Promise.all([subscribe(gateway, heavy), subscribe(gateway, heavy)]);
    const sent = deliveries.add(seconds(10, 60), payloadOf(10_000));
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual(sent);
    for (const stream of streams) stream.close();
  });

  test('counts a payload by its length: a reader who is late gets all that takes less than a quarter', async ({
    startWith,
    upstream,
  }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith({
      SUBSCRIPTION_POLL_MS: '50',
      SUBSCRIPTION_BUFFER_BYTES: '64000000',
      RESPONSE_STALL_TIMEOUT_MS: '600000',
    });
    const late = subscribeUnread(gateway);
    const reading = await subscribe(gateway, heavy);
    const sent: string[] = [];
    for (let second = 1_000; second < 4_000; second += 1_000) {
      sent.push(...deliveries.add(seconds(second, 10), payloadOf(200_000)));
      await expect.poll(() => idsOf(reading)).toEqual(sent);
    }
    expect(await late.ids(sent.length)).toEqual(sent);
    reading.close();
  });

  test('ends the stream that is furthest behind, which resumes from there; the others go on', async ({
    startWith,
    upstream,
  }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith({
      SUBSCRIPTION_POLL_MS: '50',
      SUBSCRIPTION_BUFFER_BYTES: '26000000',
      RESPONSE_STALL_TIMEOUT_MS: '600000',
    });
    const unread = subscribeUnread(gateway);
    const reading = await subscribe(gateway, heavy);
    const sent: string[] = [];
    // More than the system takes for a connection. Each time beyond the overlap of the one before, so that polls stay small.
    for (let second = 1_000; second < 9_000; second += 1_000) {
      sent.push(...deliveries.add(seconds(second, 10), payloadOf(200_000)));
      await expect.poll(() => idsOf(reading)).toEqual(sent);
    }
    expect(errorsOf(reading)).toEqual([]);
    const lines = await unread.read();
    expect(lines.some((line) => line.includes('"code":"QUERY_TOO_COMPLEX"'))).toBe(true);
    const seen = idsIn(lines);
    const lastId = lines.findLast((line) => line.startsWith('id: '))?.slice('id: '.length) ?? '';
    expect(seen.length).toBeLessThan(sent.length);
    const back = await subscribe(gateway, heavy, { headers: { 'last-event-id': lastId } });
    await expect.poll(() => [...seen, ...idsOf(back)]).toEqual(sent);
    reading.close();
    back.close();
  });
});
