import { userId } from './account.ts';
import { microsPerSecond, timestamp } from './clock.ts';
import { badGatewayPage } from './errors.ts';
import { busyConnection, ipConnections, quietConnections, targetsOf, type Targets } from './ip-connection.ts';
import { bigNumber } from './list.ts';
import { Random } from './random.ts';
import { accounts, type Account } from './world.ts';

/** The event types of the sandbox's deliveries, the commonest first. */
const eventTypes = [
  'call_initiated',
  'call_answered',
  'call_hangup',
  'call_bridged',
  'call_dtmf_received',
  'call_recording_saved',
  'call_machine_detection_ended',
  'conference_participant_joined',
  'fax_received',
] as const;

type EventType = (typeof eventTypes)[number];

function call(random: Random) {
  return {
    call_control_id: `v2:${random.hex(40)}`,
    call_session_id: random.uuid(),
    direction: random.pick(['incoming', 'outgoing']),
    from: `+1555${random.digits(7)}`,
    to: random.chance(0.5) ? `+44${random.digits(10)}` : 'sip:desk@trunk.example.com',
  };
}

const detailByType: Record<EventType, (random: Random) => object> = {
  call_initiated: (random) => ({ state: 'parked', start_time: null, client_state: random.orNull(0.5, 'c2FuZGJveA==') }),
  call_answered: (random) => ({ state: 'answered', answer_delay_secs: random.int(1, 40) }),
  call_hangup: (random) => ({
    hangup_cause: random.pick(['normal_clearing', 'user_busy', 'call_rejected', 'timeout']),
    hangup_source: random.pick(['caller', 'callee']),
    call_quality_stats: random.orNull(0.3, { inbound: { mos: '4.50', packet_count: random.int(100, 90_000) } }),
    // An account-wide sequence that has outgrown a double.
    ...(random.chance(0.1) && { cdr_sequence: bigNumber('9007199254740993') }),
  }),
  call_bridged: (random) => ({ bridged_to: `v2:${random.hex(40)}` }),
  call_dtmf_received: (random) => ({ digit: random.pick(['0', '1', '5', '9', '#', '*']) }),
  call_recording_saved: (random) => ({
    channels: random.pick(['single', 'dual']),
    recording_urls: { mp3: `https://media.example.com/recordings/${random.hex(12)}.mp3` },
  }),
  call_machine_detection_ended: (random) => ({ result: random.pick(['human', 'machine', 'not_sure']) }),
  conference_participant_joined: (random) => ({ conference_id: random.uuid(), muted: random.chance(0.2) }),
  fax_received: (random) => ({ fax_id: random.uuid(), page_count: random.int(1, 40), status: 'received' }),
};

function eventType(random: Random): EventType {
  // The first types get about half of all events, as calls do in practice.
  return random.chance(0.5) ? random.pick(eventTypes.slice(0, 3)) : random.pick(eventTypes);
}

/** One delivered event (contract, "Event"), with the connection's id in its payload. */
function event(random: Random, occurredAt: number, connectionId: string) {
  const type = eventType(random);
  return {
    record_type: 'event',
    id: random.uuid(),
    event_type: random.orNull(0.002, type),
    occurred_at: random.orNull(0.005, timestamp(occurredAt)),
    payload: random.orNull(0.005, { connection_id: connectionId, ...call(random), ...detailByType[type](random) }),
  };
}

type Header = [name: string, value: string];

/** Pauses before the second, third … try, in microseconds. */
const pauses = [5, 30, 120, 600, 1800].map((seconds) => seconds * microsPerSecond);
const failures = [500, 502, 503, 404, 410, 429] as const;
/** The service cuts response bodies at this length (field notes). */
const bodyLimit = 10_240;

/** The tries of a delivery: their URLs in order of time, and whether the last one is accepted. */
interface Plan {
  readonly urls: string[];
  readonly delivered: boolean;
}

/** A plan: mostly one try, else retries, else the failover URL, else failure on all of them. */
function plan(random: Random, targets: Targets & { url: string }): Plan {
  const fate = random.int(0, 99);
  if (fate < 80) return { urls: [targets.url], delivered: true };
  const primary = Array.from({ length: random.int(1, 3) }, () => targets.url);
  if (targets.failover === null || fate < 86) return { urls: [...primary, targets.url], delivered: fate < 94 };
  return { urls: [...primary, targets.failover], delivered: fate < 94 };
}

function requestHeaders(random: Random, eventId: string): Header[] {
  return [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'webhooks/2.0'],
    ['X-Event-Id', eventId],
    ['X-Event-Signature', random.hex(32)],
    ...(random.chance(0.4) ? [['Authorization', `Bearer made-up-${random.hex(16)}`] satisfies Header] : []),
    ...(random.chance(0.2) ? [['X-Api-Key', `made-up-${random.hex(12)}`] satisfies Header] : []),
    ...(random.chance(0.1) ? [['Cookie', `session=made-up-${random.hex(12)}`] satisfies Header] : []),
  ];
}

function bodyOf(random: Random, status: number): string {
  if (status === 502) return badGatewayPage;
  if (status >= 300) return JSON.stringify({ error: 'not accepted', reference: random.hex(8) });
  return random.chance(0.005) ? 'accepted '.repeat(2000).slice(0, bodyLimit) : random.pick(['', 'ok', '{"ok":true}']);
}

function responseOf(random: Random, status: number) {
  return {
    status,
    headers: random.orNull(0.02, [
      ['Content-Type', status === 502 ? 'text/html' : 'application/json'] satisfies Header,
      ...(status === 429 ? [['Retry-After', '30'] satisfies Header] : []),
      ...(random.chance(0.1) ? [['Set-Cookie', `visit=made-up-${random.hex(8)}; HttpOnly`] satisfies Header] : []),
    ]),
    body: random.orNull(0.05, bodyOf(random, status)),
  };
}

function outcomeOf(random: Random, delivered: boolean) {
  if (delivered) return { response: responseOf(random, random.pick([200, 200, 200, 202, 204])) };
  if (random.chance(0.6)) return { response: responseOf(random, random.pick(failures)) };
  // Without a response the key is absent, and now and then null.
  return random.chance(0.2) ? { response: null } : {};
}

/** The API's code of a response that accepts no event (field notes). */
function codeOf(status: number): number {
  if (status === 404 || status === 500) return 75_000 + status;
  return status < 500 ? 75_499 : 75_599;
}

function errorsOf(random: Random, delivered: boolean, status: number | undefined) {
  if (delivered) return random.chance(0.1) ? { errors: [] } : {};
  return { errors: status === undefined ? [75001, ...(random.chance(0.3) ? [75002] : [])] : [codeOf(status)] };
}

/** The attempts of a plan, newest first, and when the last one ended. All their times are divided by `haste`. */
function attempts(random: Random, tries: Plan, startedAt: number, eventId: string, haste: number) {
  let time = startedAt;
  const made = tries.urls.map((url, at) => {
    const delivered = tries.delivered && at === tries.urls.length - 1;
    const started = at === 0 ? time : time + Math.floor((pauses[at - 1] ?? 0) / haste);
    const http = { request: { url, headers: requestHeaders(random, eventId) }, ...outcomeOf(random, delivered) };
    const silent = http.response === undefined || http.response === null;
    time = started + Math.floor((silent ? 10 * microsPerSecond : random.int(15_000, 2_000_000)) / haste);
    return {
      status: delivered ? 'delivered' : 'failed',
      started_at: random.orNull(0.002, timestamp(started)),
      finished_at: random.orNull(0.005, timestamp(time)),
      http: random.orNull(0.002, http),
      ...errorsOf(random, delivered, http.response?.status),
    };
  });
  return { made: made.toReversed(), finishedAt: time };
}

const newestCount = 50;

function hasDeliveries(index: number): boolean {
  return !quietConnections.includes(index) && targetsOf(index).url !== null;
}

let receivers: readonly number[] | undefined;

function receiver(random: Random, account: Account): number {
  receivers ??= Array.from({ length: accounts.large.connections }, (_, index) => index).filter(hasDeliveries);
  if (random.chance(0.1)) return busyConnection;
  const most = Math.min(account.connections, random.chance(0.7) ? newestCount : Infinity);
  return random.pick(receivers.filter((index) => index < most));
}

/** The delivery of a seed, of a connection of the account; all waits within it are divided by `haste`. */
export function buildDelivery(seed: string, id: string, startedAt: number, account: Account, haste: number) {
  const random = new Random(seed);
  const connection = receiver(random, account);
  const { url, failover } = targetsOf(connection);
  if (url === null) throw new Error('Only connections with a URL receive deliveries.');
  const webhook = event(random, startedAt - random.int(1000, 400_000), ipConnections.at(connection).id);
  const tries = plan(random, { url, failover });
  const { made, finishedAt } = attempts(random, tries, startedAt, webhook.id, haste);
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
export type WebhookDelivery = ReturnType<typeof buildDelivery>;
export type Attempt = NonNullable<WebhookDelivery['attempts']>[number];

/** What a delivery is made of on demand. */
export interface DeliveryOrder {
  readonly type?: string;
  /** The id of the connection whose event it is; null for an event of none. Absent: the one with the most deliveries. */
  readonly connection?: string | null;
  readonly status?: 'delivered' | 'failed';
  /** How many attempts it took. */
  readonly attempts?: number;
}

const urlWithoutConnection = 'https://events.example.com/hooks';
/** All is over within milliseconds. */
const madeHaste = 100_000;

/** Makes the newest delivery of an account; undefined where it has no such connection. `seed` tells it from all others. */
export function makeDelivery(order: DeliveryOrder, seed: string, startedAt: number, account: Account) {
  const { type = 'call_initiated', status = 'delivered', attempts: count = status === 'failed' ? 3 : 1 } = order;
  const { connection = busyConnection < account.connections ? ipConnections.at(busyConnection).id : null } = order;
  const own = connection === null ? null : ipConnections.find(connection, account.connections);
  if (own === undefined) return undefined;
  const random = new Random(seed);
  const url = own?.webhook_event_url ?? urlWithoutConnection;
  const urls = Array.from({ length: count }, (_, at) => (at > 0 && own?.webhook_event_failover_url) || url);
  const known = eventTypes.find((one) => one === type.replaceAll('.', '_'));
  const payload = { connection_id: connection, ...call(random), ...(known && detailByType[known](random)) };
  const [id, eventId, started] = [random.uuid(), random.uuid(), timestamp(startedAt)];
  const { made, finishedAt } = attempts(
    random,
    { urls, delivered: status === 'delivered' },
    startedAt,
    eventId,
    madeHaste,
  );
  return {
    id,
    user_id: userId,
    record_type: 'webhook_delivery',
    status,
    webhook: { record_type: 'event', id: eventId, event_type: type, occurred_at: started, payload },
    started_at: started,
    finished_at: timestamp(finishedAt),
    attempts: made,
  } as WebhookDelivery;
}
