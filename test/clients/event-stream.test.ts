import { createServer } from 'node:http';
import { once } from 'node:events';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { Agent, EventSource } from 'undici';
import { serverSentEvents } from '../../client/src/event-stream.ts';
import { followDeliveries } from '../../client/src/feed.ts';
import { createFetch } from '../../client/src/relay.ts';
import { openIn } from '../live/subscription.ts';
import { describe, expect, test } from '../support/gateway.ts';
import { GrowingDeliveries } from '../support/moving-upstream.ts';
import { runs } from '../support/runs.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { open } from '../upstream/loopback.ts';

interface Read {
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What the package reads in chunks of these lengths, the last of which has all that is left. */
async function readIn(bytes: Uint8Array, lengths: readonly number[] = []): Promise<readonly Read[]> {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const length of [...lengths, bytes.length]) {
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  const read: Read[] = [];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) if (chunk.length > 0) controller.enqueue(chunk);
      controller.close();
    },
  });
  const response = new Response(body);
  for await (const { event, data, id } of serverSentEvents(response)) if (data !== null) read.push({ event, data, id });
  return read;
}

describe('the events of a stream', () => {
  test('are told as soon as an empty line has come, and so are signs of life', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(
      {},
      { highWaterMark: 9 },
      { highWaterMark: 9 },
    );
    const writer = writable.getWriter();
    const events = serverSentEvents(new Response(readable));
    for (const [text, event] of [
      [':\r\r', { event: '', data: null, id: null }],
      ['id: 7\n\n', { event: '', data: null, id: '7' }],
      ['event: next\r\ndata: 1\r\n\r', { event: 'next', data: '1', id: null }],
      ['\ndata: 2\n\n', { event: '', data: '2', id: null }],
    ] as const) {
      await writer.write(bytesOf(text));
      expect((await events.next()).value).toEqual(event);
    }
    await events.return(undefined);
  });

  test('are what another reader finds, whatever they hold and wherever they are cut', async () => {
    const fields = ['data', 'data:', 'data: ', 'event', 'event: ', 'id', 'id: ', 'retry: 3', ':', ' ', 'x', '\0'];
    const lineEnds = ['\n', '\n\n', '\r', '\r\n', '\r\n\r\n'];
    const others = ['\u0085', '\u2028', '\u2029', '\u000B', '\u000C', '\uFEFF', 'é', '漢', '🤖'];
    const token = fc.constantFrom(...fields, ...lineEnds, ...lineEnds, ...others);
    const texts = fc.array(token, { maxLength: 40, size: 'max' }).map((tokens) => tokens.join(''));
    const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(texts, lengths, async (text, cuts) => {
        const expected: Read[] = [];
        const parser = createParser({
          onEvent: ({ event = '', data, id = null }) => expected.push({ event, data, id }),
        });
        // A comment, without which that reader waits for the other half of a line's end.
        const whole = bytesOf(`${text}:`);
        parser.feed(new TextDecoder().decode(whole));
        expect(await readIn(whole, cuts)).toEqual(expected);
      }),
      { numRuns: runs(1000) },
    );
  });
});

test('a feed goes on behind the last event that can be read', async () => {
  const asked: unknown[] = [];
  const state = { state: 'LIVE', since: '2026-10-01T00:00:00Z', cursor: 'c', reason: null, missed: false };
  const begun = `id: 0.d\nevent: next\ndata: ${JSON.stringify({ data: { deliveryFeed: state } })}\n\n`;
  const broken = `id: 1.d\nevent: next\ndata: {"data":\n\n`;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    asked.push(JSON.parse(body).variables.after);
    response.setHeader('content-type', 'text/event-stream').write(begun + broken);
  });
  const { origin: url } = await open(server);
  const stop = followDeliveries({ url, key: 'a-key' }, () => {});
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  expect(asked.slice(0, 2)).toEqual([null, 'c']);
  stop();
});

test('an answer in pieces is an error for Relay wherever it is cut', async ({ gateway, upstream }) => {
  upstream.script((request) => pageReply([1], request));
  const text = '{ missions { totalCount } ... @defer { ipConnections { totalCount } } }';
  const given = await gateway.post({ query: text }, { accept: 'multipart/mixed' });
  const type = given.headers.get('content-type') ?? '';
  const answer = await given.text();
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', type).end(answer.slice(0, Number(url.slice(1))));
  });
  const { origin: url } = await open(server);
  const endOf = (length: number): Promise<string> =>
    new Promise((resolve) => {
      const sink = { next: () => {}, error: () => resolve('error'), complete: () => resolve('complete') };
      createFetch({ create: (source) => source(sink) }, { url: `${url}/${length}` })({ text }, {});
    });
  const boundary = '\r\n---';
  const whole = answer.lastIndexOf(boundary) + boundary.length;
  for (let length = 0; length <= answer.length; length++)
    expect([length, await endOf(length)]).toEqual([length, length < whole ? 'error' : 'complete']);
});

// Parsers of others kept what no line end, or no empty line, ended.
test.for([
  ['a line', ':', 'x'.repeat(1_048_576)],
  ['an event', '', `data: ${'x'.repeat(1_048_576)}\n`],
])('%s that never ends is given up', async ([, beginning, piece]) => {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytesOf(`${beginning} `)),
    pull: (controller) => controller.enqueue(bytesOf(++pulled > 100 ? '\n\n' : (piece ?? ''))),
  });
  const reading = serverSentEvents(new Response(body)).next();
  await expect(reading).rejects.toThrow('more than 16777216 characters');
  expect(pulled).toBeLessThan(20);
});

/** Sends a key, which the browser's own client cannot. */
const withKey = new Agent().compose((dispatch) => (options, handler) => {
  const headers = { ...(options.headers as Record<string, string>), authorization: 'Bearer a-key' };
  return dispatch({ ...options, headers }, handler);
});

test('an EventSource resumes by itself where it was, even before its first event', async ({ startWith, upstream }) => {
  const deliveries = new GrowingDeliveries();
  deliveries.add([1, 2]);
  upstream.script(deliveries.answer);
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '20' });
  const query = encodeURIComponent('subscription { webhookDeliveries { id } }');
  const taken: unknown[] = [];
  const source = new EventSource(`${gateway.url}/graphql?query=${query}`, {
    node: { dispatcher: withKey, reconnectionTime: 500 },
  });
  source.addEventListener('next', (event) => {
    const { data } = JSON.parse(String((event as MessageEvent).data));
    if (data != null) taken.push(data.webhookDeliveries.id);
  });
  await once(source, 'open');
  await gateway.close();
  const missed = deliveries.add([1.5, 10]);
  const next = await startWith({ SUBSCRIPTION_POLL_MS: '20', PORT: new URL(gateway.url).port });
  await expect.poll(() => taken).toEqual(missed);
  const [live] = deliveries.add([11]);
  await expect.poll(() => taken).toEqual([...missed, live]);
  source.close();
  await expect.poll(() => openIn(next)).toEqual({ streams: 0, lists: 0 });
});
