import { USER_ID } from './account.ts';
import { DAY, HOUR, NOW, SECOND, timestamp } from './clock.ts';
import { attempts, plan } from './delivery-attempt.ts';
import { event } from './event.ts';
import { ipConnections } from './ip-connection.ts';
import { Random } from './random.ts';
import { Rows } from './rows.ts';
import { BUSY_CONNECTION, QUIET_CONNECTIONS, targetsOf } from './targets.ts';

/** How many deliveries the sandbox holds: thirty days of them, one each 216 seconds. */
export const DELIVERY_COUNT = 12_000;
const NEWEST = 50;
const LIVE_EVERY = 5 * SECOND;
const EVERY = (30 * DAY) / DELIVERY_COUNT;

const hasDeliveries = (index: number): boolean => !QUIET_CONNECTIONS.includes(index) && targetsOf(index).url !== null;

let receivers: { newest: number[]; all: number[] } | undefined;

const receiver = (random: Random): number => {
  if (receivers === undefined) {
    const all = Array.from({ length: ipConnections.count }, (_, index) => index).filter(hasDeliveries);
    receivers = { all, newest: all.filter((index) => index < NEWEST) };
  }
  if (random.chance(0.1)) return BUSY_CONNECTION;
  return random.pick(random.chance(0.7) ? receivers.newest : receivers.all);
};

/** The id of the delivery at an index; does not make the delivery. */
export const deliveryId = (index: number): string => new Random(`webhook-delivery-id:${index}`).uuid();

/** True when a delivery started in the same microsecond as the one before it. */
export const sharesStart = (index: number): boolean => index % 40 === 1;

const startOf = (index: number): number => {
  const own = sharesStart(index) ? index - 1 : index;
  // The newest start an hour ago: all retries have ended by now.
  return NOW - HOUR - own * EVERY - new Random(`webhook-delivery-start:${own}`).int(0, 215 * SECOND);
};

const buildAt = (seed: string, id: string, startedAt: number) => {
  const random = new Random(seed);
  const connection = receiver(random);
  const { url, failover } = targetsOf(connection);
  if (url === null) throw new Error('Only connections with a URL receive deliveries.');
  const webhook = event(random, startedAt - random.int(1000, 400_000), ipConnections.at(connection).id);
  const tries = plan(random, { url, failover });
  const { made, finishedAt } = attempts(random, tries, startedAt, webhook.id);
  return {
    id,
    user_id: random.orNull(0.005, USER_ID),
    record_type: 'webhook_delivery',
    status: random.orNull(0.002, tries.delivered ? 'delivered' : 'failed'),
    webhook: random.orNull(0.002, webhook),
    started_at: timestamp(startedAt),
    finished_at: random.orNull(0.005, timestamp(finishedAt)),
    attempts: random.orNull(0.002, random.chance(0.002) ? [] : made),
  };
};

/** A webhook delivery as the wire carries it. */
export type WebhookDelivery = ReturnType<typeof buildAt>;

const build = (index: number): WebhookDelivery =>
  buildAt(`webhook-delivery:${index}`, deliveryId(index), startOf(index));

/** The user's webhook deliveries, index 0 the newest. */
export const webhookDeliveries = new Rows(DELIVERY_COUNT, deliveryId, build);

// Beyond a week of running nothing new is made.
const MOST_LIVE = (7 * DAY) / LIVE_EVERY;
const liveId = (index: number): string => new Random(`live-webhook-delivery-id:${index}`).uuid();

/** The deliveries that come while the sandbox runs, index 0 the first: one each five seconds, the same ones in each run. */
export const liveDeliveries = new Rows(MOST_LIVE, liveId, (index) =>
  buildAt(`live-webhook-delivery:${index}`, liveId(index), NOW - HOUR + (index + 1) * LIVE_EVERY),
);

/** How many of them have come after so many milliseconds. */
export const liveCount = (milliseconds: number): number =>
  Math.min(MOST_LIVE, Math.floor((milliseconds * 1000) / LIVE_EVERY));
