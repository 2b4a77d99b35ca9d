import { userId } from './account.ts';
import { microsPerDay, microsPerHour, microsPerSecond, now, timestamp } from './clock.ts';
import { busyConnection, ipConnections, quietConnections, targetsOf, type Targets } from './ip-connection.ts';
import { between, bigNumber, clampedPage, exactly, paged, Rows, value, type Query, type TextMatch } from './list.ts';
import { Random } from './random.ts';
import type { Route } from './server.ts';

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
const badGatewayPage = '<html><head><title>Bad gateway</title></head><body>Bad gateway</body></html>';
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

function errorsOf(random: Random, delivered: boolean, status: number | undefined) {
  if (delivered) return random.chance(0.1) ? { errors: [] } : {};
  return { errors: status === undefined ? [75101, ...(random.chance(0.3) ? [75104] : [])] : [75200 + (status % 100)] };
}

/** The attempts of a plan, newest first, and when the last one ended. */
function attempts(random: Random, tries: Plan, startedAt: number, eventId: string) {
  let time = startedAt;
  const made = tries.urls.map((url, at) => {
    const delivered = tries.delivered && at === tries.urls.length - 1;
    const started = at === 0 ? time : time + (pauses[at - 1] ?? 0);
    const http = { request: { url, headers: requestHeaders(random, eventId) }, ...outcomeOf(random, delivered) };
    const silent = http.response === undefined || http.response === null;
    time = started + (silent ? 10 * microsPerSecond : random.int(15_000, 2_000_000));
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

/** How many deliveries the sandbox holds at its start: thirty days of them, one each 216 seconds. */
const deliveryCount = 12_000;
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
function deliveryId(index: number): string {
  return new Random(`webhook-delivery-id:${index}`).uuid();
}

/** The first two of so many deliveries start in the same microsecond. */
const tieInterval = 40;

function startOf(index: number): number {
  const own = index % tieInterval === 1 ? index - 1 : index;
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
export type Attempt = NonNullable<WebhookDelivery['attempts']>[number];

function build(index: number): WebhookDelivery {
  return buildAt(`webhook-delivery:${index}`, deliveryId(index), startOf(index));
}

/** The user's webhook deliveries, index 0 the newest. */
const webhookDeliveries = new Rows(deliveryCount, deliveryId, build);

// Beyond a week of running nothing new is made.
const mostLive = (7 * microsPerDay) / liveInterval;

function liveId(index: number): string {
  return new Random(`live-webhook-delivery-id:${index}`).uuid();
}

/** The deliveries that come while the sandbox runs, index 0 the first: one each five seconds, the same in each run. */
const liveDeliveries = new Rows(mostLive, liveId, (index) =>
  buildAt(`live-webhook-delivery:${index}`, liveId(index), now - microsPerHour + (index + 1) * liveInterval),
);

/** How many live deliveries have come after so many milliseconds. */
export function liveCount(milliseconds: number): number {
  return Math.min(mostLive, Math.floor((milliseconds * 1000) / liveInterval));
}

/** The delivery at a place of the list. Those that came since the start have places below 0, and the newest has the lowest. */
function deliveryAt(place: number): WebhookDelivery {
  if (place < 0) return liveDeliveries.at(-1 - place);
  const first = place - (place % tieInterval);
  // Ids break the tie of two that start together.
  const isSwapped = place - first < 2 && deliveryId(first + 1) < deliveryId(first);
  return webhookDeliveries.at(isSwapped ? first + first + 1 - place : place);
}

type RowMatch = (row: WebhookDelivery) => boolean;

const texts = { webhook: new Map<WebhookDelivery, string>(), attempts: new Map<WebhookDelivery, string>() };

/** Case-sensitive substring match on the JSON of a part, written once for each row: a filter over all rows only searches text. */
function containing(query: Query, part: keyof typeof texts): RowMatch {
  const wanted = value(query, `filter[${part}][contains]`);
  if (wanted === undefined) return () => true;
  return (row) => {
    const text = texts[part].get(row) ?? JSON.stringify(row[part]);
    texts[part].set(row, text);
    return text.includes(wanted);
  };
}

function eventTypeIn(query: Query): TextMatch {
  const underscored = (type: string): string => type.trim().replaceAll('.', '_');
  const wanted = value(query, 'filter[event_type]');
  if (wanted === undefined) return () => true;
  const types = new Set(wanted.split(',').map(underscored));
  return (type) => typeof type === 'string' && types.has(underscored(type));
}

function matching(query: Query): RowMatch {
  const ended = exactly(query, 'filter[status][eq]');
  const typed = eventTypeIn(query);
  const started = between(query, 'filter[started_at]');
  const finished = between(query, 'filter[finished_at]');
  const webhookHas = containing(query, 'webhook');
  const attemptsHave = containing(query, 'attempts');
  return (row) =>
    ended(row.status) &&
    typed(row.webhook?.event_type) &&
    started(row.started_at) &&
    finished(row.finished_at) &&
    webhookHas(row) &&
    attemptsHave(row);
}

const places = Array.from({ length: deliveryCount }, (_, index) => index);

/** Newest `started_at` first; `live` is how many have come since the start. */
function listWebhookDeliveries(query: Query, live: number) {
  const page = clampedPage(query, 250);
  const matches = matching(query);
  const isFiltered = query.keys().some((name) => name.startsWith('filter['));
  const all = live === 0 ? places : [...Array.from({ length: live }, (_, index) => index - live), ...places];
  // Without a filter only the rows of the page are made.
  const kept = isFiltered ? all.filter((place) => matches(deliveryAt(place))) : all;
  return paged(kept, page, deliveryAt);
}

function find(id: string, live: number): unknown {
  const later = Array.from({ length: live }, (_, at) => liveDeliveries.at(at));
  return webhookDeliveries.find(id) ?? later.find((row) => row.id === id);
}

export const route: Route = { path: '/webhook_deliveries', list: listWebhookDeliveries, find };
