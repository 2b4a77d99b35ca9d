import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { errorsOf, growing, idsOf, seconds } from '../../live/subscription.ts';
import { subscribe } from '../../support/streams.ts';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import type { JsonRecord } from '../../support/records.ts';

const heavy = 'subscription { webhookDeliveries { id webhook { payload } } }';
const payloadOf = (bytes: number): JsonRecord => ({ webhook: { payload: { text: 'x'.repeat(bytes) } } });

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

test('what waits counts a payload by its length: a reader who is late gets all that takes less than a quarter', async ({
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

test('what waits ends the stream of a slow reader, which resumes from there; the others go on', async ({
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
