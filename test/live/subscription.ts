import { subscribe, type EventStream } from '../support/streams.ts';
import { expect, test as base, type Gateway } from '../support/gateway.ts';
import { GrowingDeliveries } from '../support/moving-upstream.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';

/** One poll follows the other at once, whatever has failed before. */
export const quick = { SUBSCRIPTION_POLL_MS: '5', UPSTREAM_BREAKER_OPEN_MS: '1' };
/** No poll comes while the test lasts, but for the first. */
export const still = { SUBSCRIPTION_POLL_MS: '600000' };
/** Subscribes to all deliveries. */
export const all = 'subscription { webhookDeliveries { id } }';
/** Subscribes to those of one status. */
export const failed = 'subscription { webhookDeliveries(filter: { status: { eq: "failed" } }) { id } }';

/** Goes on with a stream from an id. */
export const goOn = (gateway: Gateway, lastEventId: string, key = 'test-key') =>
  subscribe(gateway, all, { key, headers: { 'last-event-id': lastEventId } });

/** The deliveries that have come. */
export const idsOf = ({ events }: EventStream): readonly unknown[] =>
  events.filter(({ data }) => data?.data != null).map(({ data }) => data.data.webhookDeliveries.id);
/** The errors that have come, in whatever event. */
export const errorsOf = ({ events }: EventStream): readonly unknown[] =>
  events.flatMap(({ data }) => data?.errors ?? []);
/** So many moments, a thousandth of a second apart. */
export const seconds = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index / 1000);

/** An upstream with deliveries to which more come. */
export function growing(upstream: ScriptedUpstream): GrowingDeliveries {
  const deliveries = new GrowingDeliveries();
  deliveries.add([1, 2, 3]);
  upstream.script(deliveries.answer);
  return deliveries;
}

/** `test` with a gateway that polls at once, and deliveries to which more come. Streams that are left open end with it. */
export const test = base.extend<{ readonly gateway: Gateway; readonly deliveries: GrowingDeliveries }>({
  gateway: async ({ startWith }, use) => use(await startWith(quick)),
  deliveries: [async ({ upstream }, use) => use(growing(upstream)), { auto: true }],
});

/** Waits until the upstream has been asked as often again. */
export async function polls(upstream: ScriptedUpstream, count: number): Promise<void> {
  const before = upstream.requests.length;
  await expect.poll(() => upstream.requests.length).toBeGreaterThanOrEqual(before + count);
}

/** What the metrics tell of streams. */
export async function openIn(gateway: Gateway): Promise<{ readonly streams: number; readonly lists: number }> {
  const text = await (await gateway.fetch('/metrics')).text();
  const valueOf = (name: string): number => Number(new RegExp(`^switchboard_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return { streams: valueOf('streams'), lists: valueOf('polled_lists') };
}

/** Leaves a stream, and waits until the gateway has noticed. */
export async function leave(gateway: Gateway, stream: EventStream): Promise<void> {
  const before = ended(gateway);
  stream.close();
  await expect.poll(() => ended(gateway)).toBe(before + 1);
}

/** How many streams have ended. */
export const ended = ({ log }: Gateway): number => log.filter((line) => line.includes('(stream)')).length;
