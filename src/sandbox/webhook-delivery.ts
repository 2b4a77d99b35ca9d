import { userId } from './account.ts';
import { microsPerDay, microsPerHour, now, microsPerSecond, timestamp } from './clock.ts';
import { attempts, plan } from './delivery-attempt.ts';
import { event } from './event.ts';
import { ipConnections } from './ip-connection.ts';
import { Random } from './random.ts';
import { Rows } from './rows.ts';
import { busyConnection, quietConnections, targetsOf } from './targets.ts';

/** How many deliveries the sandbox holds at its start: thirty days of them, one each 216 seconds. */
export const deliveryCount = 12_000;
const newestCount = 50;
const liveInterval = 5 * microsPerSecond;
const interval = (30 * microsPerDay) / deliveryCount;

function hasDeliveries(index: number): boolean {
  return !quietConnections.includes(index) && targetsOf(index).url !== null;
}

let receivers: { newest: number[]; all: number[] } | undefined;

function receiver(random: Random): number {
  if (receivers === undefined) {
    const all = Array.from({ length: ipConnections.count }, (_, index) => index).filter(hasDeliveries);
    receivers = { all, newest: all.filter((index) => index < newestCount) };
  }
  if (random.chance(0.1)) return busyConnection;
  return random.pick(random.chance(0.7) ? receivers.newest : receivers.all);
}

/** The id of the delivery at an index, read without making the delivery. */
export function deliveryId(index: number): string {
  return new Random(`webhook-delivery-id:${index}`).uuid();
}

/** True when a delivery started in the same microsecond as the one before it. */
export function sharesStart(index: number): boolean {
  return index % 40 === 1;
}

function startOf(index: number): number {
  const own = sharesStart(index) ? index - 1 : index;
  // The newest start an hour ago: all retries have ended by now.
  return (
    now - microsPerHour - own * interval - new Random(`webhook-delivery-start:${own}`).int(0, 215 * microsPerSecond)
  );
}

function buildAt(seed: string, id: string, startedAt: number) {
  const random = new Random(seed);
  const connection = receiver(random);
  const { url, failover } = targetsOf(connection);
  if (url === null) throw new Error('Only connections with a URL receive deliveries.');
  const webhook = event(random, startedAt - random.int(1000, 400_000), ipConnections.at(connection).id);
  const tries = plan(random, { url, failover });
  const { made, finishedAt } = attempts(random, tries, startedAt, webhook.id);
  return {
    id,
    user_id: random.orNull(0.005, userId),
    record_type: 'webhook_delivery',
    status: random.orNull(0.002, tries.delivered ? 'delivered' : 'failed'),
    webhook: random.orNull(0.002, webhook),
    started_at: timestamp(startedAt),
    finished_at: random.orNull(0.005, timestamp(finishedAt)),
    attempts: random.orNull(0.002, random.chance(0.002) ? [] : made),
  };
}

/** A webhook delivery as the wire carries it. */
export type WebhookDelivery = ReturnType<typeof buildAt>;

function build(index: number): WebhookDelivery {
  return buildAt(`webhook-delivery:${index}`, deliveryId(index), startOf(index));
}

/** The user's webhook deliveries, index 0 the newest. */
export const webhookDeliveries = new Rows(deliveryCount, deliveryId, build);

// Beyond a week of running nothing new is made.
const mostLive = (7 * microsPerDay) / liveInterval;

function liveId(index: number): string {
  return new Random(`live-webhook-delivery-id:${index}`).uuid();
}

/** The deliveries that come while the sandbox runs, index 0 the first: one each five seconds, the same in each run. */
export const liveDeliveries = new Rows(mostLive, liveId, (index) =>
  buildAt(`live-webhook-delivery:${index}`, liveId(index), now - microsPerHour + (index + 1) * liveInterval),
);

/** How many live deliveries have come after so many milliseconds. */
export function liveCount(milliseconds: number): number {
  return Math.min(mostLive, Math.floor((milliseconds * 1000) / liveInterval));
}
