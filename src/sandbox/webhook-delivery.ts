import { LRUCache } from 'lru-cache';
import { badGatewayPage, badParameter } from './errors.ts';
import { busyConnection, findConnection, ipConnections, quietConnections } from './ip-connection.ts';
import { between, bigNumber, clampedPage, everyNth, exactly, paged, value } from './list.ts';
import { Random } from './random.ts';
import {
  accounts,
  anchor,
  microsPerDay,
  microsPerHour,
  microsPerSecond,
  timestamp,
  userId,
  type Account,
  type Query,
  type Route,
  type World,
} from './world.ts';

function call(random: Random) {
  return {
    call_control_id: `v2:${random.hex(40)}`,
    call_session_id: random.uuid(),
    direction: random.pick(['incoming', 'outgoing']),
    from: `+1555${random.digits(7)}`,
    to: random.chance(0.5) ? `+44${random.digits(10)}` : 'sip:desk@trunk.example.com',
  };
}

/** What the events of each type say besides, the commonest first. */
const detailByType: Readonly<Record<string, (random: Random) => object>> = {
  call_initiated: (random) => ({ state: 'parked', start_time: null, client_state: random.orNull(0.5, 'c2FuZGJveA==') }),
  call_answered: (random) => ({ state: 'answered', answer_delay_secs: random.int(1, 40) }),
  call_hangup: (random) => ({
    hangup_cause: random.pick(['normal_clearing', 'user_busy', 'call_rejected', 'timeout']),
    hangup_source: random.pick(['caller', 'callee']),
    call_quality_stats: random.orNull(0.3, { inbound: { mos: '4.50', packet_count: random.int(100, 90_000) } }),
    // An account-wide sequence that has outgrown a double.
    ...(random.chance(0.1) && { cdr_sequence: bigNumber }),
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

const eventTypes = Object.keys(detailByType);

/** One delivered event (contract, "Event"), with the connection's id in its payload. */
function event(random: Random, occurredAt: number, connectionId: string) {
  // The first types get about half of all events, as calls do in practice.
  const type = random.chance(0.5) ? random.pick(eventTypes.slice(0, 3)) : random.pick(eventTypes);
  return {
    record_type: 'event',
    id: random.uuid(),
    event_type: random.orNull(0.002, type),
    occurred_at: random.orNull(0.005, timestamp(occurredAt)),
    payload: random.orNull(0.005, { connection_id: connectionId, ...call(random), ...detailByType[type]?.(random) }),
  };
}

type Header = [name: string, value: string];

/** Pauses before the second, third … try, in microseconds. */
const pauses = [5, 30, 120, 600, 1800].map((seconds) => seconds * microsPerSecond);
const failures = [500, 502, 503, 404, 410, 429] as const;
/** The service cuts response bodies at this length (field notes). */
const bodyLimit = 10_240;

/** The tries of a delivery: their URLs in order of time, and whether the last one is accepted. */
interface Tries {
  readonly urls: string[];
  readonly delivered: boolean;
}

/** Mostly one try, else retries, else the failover URL, else failure on all of them. */
function triesAt(random: Random, url: string, failover: string | null): Tries {
  const fate = random.int(0, 99);
  if (fate < 80) return { urls: [url], delivered: true };
  const primary = Array.from({ length: random.int(1, 3) }, () => url);
  return { urls: [...primary, fate < 86 ? url : (failover ?? url)], delivered: fate < 94 };
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

/** The attempts, newest first, and when the last one ended. All their times are divided by `haste`. */
function attempts(random: Random, tries: Tries, startedAt: number, eventId: string, haste: number) {
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

let receivers: readonly number[] | undefined;

function receiver(random: Random, account: Account): number {
  receivers ??= [...ipConnections().keys()].filter(
    (index) => !quietConnections.includes(index) && ipConnections()[index]?.webhook_event_url != null,
  );
  if (random.chance(0.1)) return busyConnection;
  const most = Math.min(account.connections, random.chance(0.7) ? newestCount : Infinity);
  return random.pick(receivers.filter((index) => index < most));
}

/** The delivery of a seed, of a connection of the account; all waits within it are divided by `haste`. */
function buildDelivery(seed: string, id: string, startedAt: number, account: Account, haste: number) {
  const random = new Random(seed);
  const connection = ipConnections()[receiver(random, account)];
  if (connection?.webhook_event_url == null) throw new Error('Only connections with a URL receive deliveries.');
  const webhook = event(random, startedAt - random.int(1000, 400_000), connection.id);
  const tries = triesAt(random, connection.webhook_event_url, connection.webhook_event_failover_url);
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

/** Makes the newest delivery of an account. `seed` tells it from all others. Throws a refusal where it has no such connection. */
export function makeDelivery(order: DeliveryOrder, seed: string, startedAt: number, account: Account) {
  const { type = 'call_initiated', status = 'delivered', attempts: count = status === 'failed' ? 3 : 1 } = order;
  const busy = busyConnection < account.connections ? ipConnections()[busyConnection] : undefined;
  const { connection = busy?.id ?? null } = order;
  const own = connection === null ? null : findConnection(connection, { account, now: startedAt });
  if (own === undefined) throw badParameter('connection', 'connection must be the id of a connection of the account.');
  const random = new Random(seed);
  const url = own?.webhook_event_url ?? urlWithoutConnection;
  const urls = Array.from({ length: count }, (_, at) => (at > 0 && own?.webhook_event_failover_url) || url);
  const detail = Object.hasOwn(detailByType, underscored(type)) ? detailByType[underscored(type)] : undefined;
  const payload = { connection_id: connection, ...call(random), ...detail?.(random) };
  const [id, eventId, started] = [random.uuid(), random.uuid(), timestamp(startedAt)];
  const tries = { urls, delivered: status === 'delivered' };
  const { made, finishedAt } = attempts(random, tries, startedAt, eventId, madeHaste);
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

/** A place in the list of deliveries; `startedAt` in microseconds since 1970. */
export interface DeliveryEntry {
  readonly startedAt: number;
  readonly id: () => string;
  readonly row: () => WebhookDelivery;
}

/** A place of the list: its identifier and its row are made when they are first read. */
function entryOf(kind: string, number: number, account: Account, startedAt: number, haste = 1): DeliveryEntry {
  let id: string | undefined;
  let row: WebhookDelivery | undefined;
  const readId = (): string => (id ??= new Random(`${kind}-id:${number}`).uuid());
  const make = (): WebhookDelivery => buildDelivery(`${kind}:${number}`, readId(), startedAt, account, haste);
  return { startedAt, id: readId, row: () => (row ??= make()) };
}

/** There are deliveries of thirty days, one each 216 seconds, numbered from the anchor back; later ones are below 0. */
const interval = (30 * microsPerDay) / accounts.large.deliveries;
/** The first two of so many deliveries start in the same microsecond. */
const tieInterval = 40;
/** All retries have ended by then. */
const longestDelivery = 200 * microsPerSecond;
// None started in the hour before it.
const newestOld = anchor - microsPerHour;

function startOf(number: number): number {
  const isSecond = number - Math.floor(number / tieInterval) * tieInterval === 1;
  const own = isSecond ? number - 1 : number;
  const jitter = new Random(`webhook-delivery-start:${own}`).int(0, 215 * microsPerSecond);
  return (own < 0 ? anchor : newestOld) - own * interval - jitter;
}

/** The number of the newest delivery that had ended by then. */
function newestBy(moment: number): number {
  const ended = moment - longestDelivery;
  if (ended < newestOld) return Math.ceil((newestOld - ended) / interval);
  return 0 - Math.max(0, Math.floor((ended - anchor) / interval));
}

/** The deliveries of an account that had ended by a moment, newest first. Ids break the tie of two that start together. */
function historyOf(account: Account, moment: number): readonly DeliveryEntry[] {
  const newest = newestBy(moment);
  const numbers = Array.from({ length: accounts.large.deliveries }, (_, index) => newest + index);
  return everyNth(numbers, account.deliveries)
    .map((number) => entryOf('webhook-delivery', number, account, startOf(number)))
    .sort((a, b) => b.startedAt - a.startedAt || (a.id() < b.id() ? -1 : 1));
}

const liveInterval = 5 * microsPerSecond;
/** Live deliveries have their retries within seconds, and come once they have ended. */
const liveHaste = 20;
const liveLag = 12 * microsPerSecond;

function liveNumber(moment: number): number {
  return Math.floor((moment - anchor) / liveInterval);
}

function liveEntry(number: number): DeliveryEntry {
  const startedAt = anchor + (number + 1) * liveInterval - liveLag;
  return entryOf('live-webhook-delivery', number, accounts.large, startedAt, liveHaste);
}

/** History by account and moment, and what has come live since, the oldest first: all sandboxes of a process share their rows. */
const known = new LRUCache<string, { readonly history: readonly DeliveryEntry[]; readonly live: DeliveryEntry[] }>({
  max: 6,
});

/** The deliveries of an account, newest first: its history, those that came live since, to the large one, and those made for it. */
function deliveriesOf({ account, since, now, made }: World): readonly DeliveryEntry[] {
  const key = `${account.deliveries} ${since}`;
  const listed = known.get(key) ?? { history: historyOf(account, since), live: [] };
  known.set(key, listed);
  const { history, live } = listed;
  const first = liveNumber(since);
  const count = account === accounts.large ? Math.max(0, liveNumber(now) - first) : 0;
  while (live.length < count) live.push(liveEntry(first + live.length));
  // Nothing but deliveries is made.
  const recent = [...live.slice(0, count), ...(made as readonly DeliveryEntry[])];
  return [...recent.sort((a, b) => b.startedAt - a.startedAt), ...history];
}

type RowMatch = (row: WebhookDelivery) => boolean;

const texts = { webhook: new WeakMap<WebhookDelivery, string>(), attempts: new WeakMap<WebhookDelivery, string>() };

/** Case-sensitive substring match on the JSON of a part, written once for each row: a filter over all rows only searches text. */
function containing(query: Query, part: keyof typeof texts): RowMatch {
  const wanted = value(query, `filter[${part}][contains]`);
  if (wanted === undefined) return () => true;
  return (row) => texts[part].getOrInsertComputed(row, () => JSON.stringify(row[part])).includes(wanted);
}

// Both spellings of a type are one.
function underscored(type: string): string {
  return type.replaceAll('.', '_');
}

function matching(query: Query): RowMatch {
  const ended = exactly(query, 'filter[status]');
  const typed = exactly(query, 'filter[event_type]', underscored);
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

/** Newest `started_at` first. */
function listWebhookDeliveries(query: Query, world: World) {
  const page = clampedPage(query, 250);
  const matches = matching(query);
  const isFiltered = query.keys().some((name) => name.startsWith('filter['));
  const all = deliveriesOf(world);
  // Without a filter only the rows of the page are made.
  const { data, meta } = paged(isFiltered ? all.filter((entry) => matches(entry.row())) : all, page);
  return { data: data.map((entry) => entry.row()), meta };
}

export const route: Route = {
  path: '/webhook_deliveries',
  read: listWebhookDeliveries,
  find: (wanted, world) =>
    deliveriesOf(world)
      .find(({ id }) => id() === wanted)
      ?.row(),
};
