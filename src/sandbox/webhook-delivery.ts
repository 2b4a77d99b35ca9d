import { LRUCache } from 'lru-cache';
import { anchor, microsPerDay, microsPerHour, microsPerSecond } from './clock.ts';
import { buildDelivery, type WebhookDelivery } from './delivery.ts';
import { between, clampedPage, everyNth, exactly, paged, value, type Query } from './list.ts';
import { Random } from './random.ts';
import { type Account, accounts, type Entry, type Route, type World } from './world.ts';

type DeliveryEntry = Entry<WebhookDelivery>;

type Kind = 'webhook-delivery' | 'live-webhook-delivery';

/** Those that were met of late: a day has the same rows whenever it is read. */
const entries = new LRUCache<string, DeliveryEntry>({ max: 30_000 });

/** A place of the list: its identifier and its row are made when they are first read. */
function entryOf(kind: Kind, number: number, account: Account, startedAt: number, haste = 1): DeliveryEntry {
  let id: string | undefined;
  let row: WebhookDelivery | undefined;
  const readId = (): string => (id ??= new Random(`${kind}-id:${number}`).uuid());
  const make = (): WebhookDelivery => buildDelivery(`${kind}:${number}`, readId(), startedAt, account, haste);
  const key = `${kind} ${number} ${account.deliveries}`;
  const entry = entries.get(key) ?? { startedAt, id: readId, row: () => (row ??= make()) };
  entries.set(key, entry);
  return entry;
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
  const all = everyNth(numbers, account.deliveries).map((number) =>
    entryOf('webhook-delivery', number, account, startOf(number)),
  );
  for (const [at, entry] of all.entries()) {
    const other = all[at + 1];
    if (other?.startedAt === entry.startedAt && other.id() < entry.id()) all.splice(at, 2, other, entry);
  }
  return all;
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

/** The deliveries of one account: those before a moment, and those that come live from then on, to the large one. */
class Deliveries {
  readonly #history: readonly DeliveryEntry[];
  readonly #live: DeliveryEntry[] = [];
  readonly #first: number;
  #byId: ReadonlyMap<string, DeliveryEntry> | undefined;

  constructor(account: Account, since: number) {
    this.#history = historyOf(account, since);
    this.#first = liveNumber(since);
  }

  /** All of them, newest first. */
  list(world: World): readonly DeliveryEntry[] {
    return [...this.#recent(world), ...this.#history];
  }

  find(id: string, world: World): DeliveryEntry | undefined {
    this.#byId ??= new Map(this.#history.map((entry) => [entry.id(), entry]));
    return this.#byId.get(id) ?? this.#recent(world).find((entry) => entry.id() === id);
  }

  #recent({ now, account, made }: World): readonly DeliveryEntry[] {
    const count = account === accounts.large ? liveNumber(now) - this.#first : 0;
    while (this.#live.length < count) this.#live.push(liveEntry(this.#first + this.#live.length));
    // Nothing but deliveries is made.
    const ordered = made as readonly DeliveryEntry[];
    return [...this.#live.slice(0, count), ...ordered].sort((a, b) => b.startedAt - a.startedAt);
  }
}

/** By account and moment: all sandboxes of a process share their rows. */
const known = new LRUCache<string, Deliveries>({ max: 6 });

function deliveriesOf({ account, since }: World): Deliveries {
  const key = `${account.deliveries} ${since}`;
  const deliveries = known.get(key) ?? new Deliveries(account, since);
  known.set(key, deliveries);
  return deliveries;
}

type RowMatch = (row: WebhookDelivery) => boolean;

const texts = { webhook: new WeakMap<WebhookDelivery, string>(), attempts: new WeakMap<WebhookDelivery, string>() };

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
  const all = deliveriesOf(world).list(world);
  // Without a filter only the rows of the page are made.
  return paged(isFiltered ? all.filter((entry) => matches(entry.row())) : all, page, (entry) => entry.row());
}

export const route: Route = {
  path: '/webhook_deliveries',
  list: listWebhookDeliveries,
  find: (id, world) => deliveriesOf(world).find(id, world)?.row(),
};
