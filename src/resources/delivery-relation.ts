import type { IpConnectionRecord, WebhookDeliveryRecord } from '../generated/records.ts';
import type { IpConnectionWebhookDeliveriesArgs, QueryWebhookDeliveriesArgs } from '../generated/schema.ts';
import { loadConnection } from '../graphql/connection-fields.ts';
import type { Context, FieldInfo } from '../graphql/context.ts';
import { aSearch, pageCost, someCalls, sum } from '../limits/field-cost.ts';
import { listKeyOf, listSource, rowReading, withOwn } from '../lists/list-source.ts';
import type { Loaders } from '../lists/loaders.ts';
import { beyondScan, distinct, readOn } from '../lists/scan.ts';
import { hashOfRow, lastHash, noRow, type Anchor, type RowHash } from '../paging/anchor.ts';
import type { Connection } from '../paging/connection.ts';
import { cursorsOf, decodeCursor, type Cursors } from '../paging/cursor.ts';
import { boundOf, compareMoments, directionOf, momentOf, type Moment } from '../moment.ts';
import { comparableId, identifierOf } from '../json.ts';
import { PagesRead } from '../paging/pages-read.ts';
import { allInOrder, CallBudget, ServedSizes, type Source } from '../paging/source.ts';
import { readTotal } from '../paging/window-reading.ts';
import { windowOf } from '../paging/window.ts';
import { givenAt } from '../upstream/call.ts';
import type { Arguments } from '../upstream/endpoint.ts';
import {
  connectionIdIn,
  connectionIdOf,
  idOf,
  ownedBy,
  readOwners,
  urlsTriedBy,
  webhookUrlsOf,
  type Owners,
} from './delivery-owner.ts';
import { ipConnection } from './ip-connection.ts';
import type { Resource } from './resource.ts';
import { listWebhookDeliveries } from './webhook-delivery.ts';

/** The relation between connections and deliveries, in both directions, and the filter of deliveries by connection. */
export const resource = {
  fields: {
    Query: {
      async webhookDeliveries(_root: unknown, args: QueryWebhookDeliveriesArgs, context: Context, info: FieldInfo) {
        const id = connectionIdIn(args);
        if (id === null) return loadConnection(listWebhookDeliveries, args, context, info);
        const connection = await context.lookUps.find(ipConnection, { id, hint: null });
        return loadOwned(connection ?? { id }, args, context);
      },
    },
    IpConnection: {
      webhookDeliveries: (record: IpConnectionRecord, args: IpConnectionWebhookDeliveriesArgs, context: Context) =>
        loadOwned(record, args, context),
    },
    WebhookDelivery: {
      async ipConnection(record: WebhookDeliveryRecord, _args: object, { loaders, scanPages }: Context) {
        if (connectionIdOf(record) === null && urlsTriedBy(record).length === 0) return null;
        return (await readOwners(loaders, scanPages)).ownerOf(record);
      },
    },
  },
  needs: {
    'IpConnection.webhookDeliveries': {
      members: { id: true, webhook_event_url: true, webhook_event_failover_url: true },
    },
    'WebhookDelivery.ipConnection': {
      members: {
        webhook: { payload: { connection_id: true } },
        attempts: { started_at: true, http: { request: { url: true } } },
      },
    },
  },
  costs: {
    // The deliveries that name a connection are one search, and those to its addresses another.
    'IpConnection.webhookDeliveries': (_args, options) =>
      sum([someCalls(2 * options.scanPages), ownersSearch(options)]),
    'WebhookDelivery.ipConnection': (_args, options) => ownersSearch(options),
    'Query.webhookDeliveries': (args, options, items) =>
      givenAt(args, ['filter', 'connectionId']) == null
        ? pageCost(listWebhookDeliveries)(args, options, items)
        : sum([someCalls(3 * options.scanPages), ownersSearch(options)]),
  },
} satisfies Resource;

/** The cost of telling whose deliveries are, once for an operation. */
export function ownersSearch({ scanPages }: { readonly scanPages: number }) {
  return aSearch('owners of deliveries', scanPages);
}

/** Where a delivery stands among others: newest first, those of one moment by their hashes, those without a moment last. */
interface Position {
  readonly moment: Moment | null;
  readonly row: RowHash;
}

const reading = rowReading(listWebhookDeliveries);

function positionOf(row: WebhookDeliveryRecord): Position {
  return { moment: reading.momentOf(row), row: hashOfRow(reading, row) };
}

/** The position behind all deliveries of a moment: its hash sorts behind all others. */
function behindMoment(moment: Moment): Position {
  return { moment, row: lastHash };
}

/** Negative where the first position comes before the second. */
function comparePositions(left: Position, right: Position): number {
  const byMoment = compareMoments(right.moment ?? '', left.moment ?? '');
  if (byMoment !== 0 || left.row === right.row) return byMoment;
  return left.row < right.row ? -1 : 1;
}

/**
 * The deliveries of a connection, as a connection of GraphQL. Its cursors are places in time, not positions, so that rows which come
 * and go around them change nothing.
 */
async function loadOwned(
  connection: IpConnectionRecord,
  { filter: given, ...paging }: Partial<QueryWebhookDeliveriesArgs>,
  context: Context,
): Promise<Connection<WebhookDeliveryRecord>> {
  const { connectionId, ...filter } = given ?? {};
  const [id, urls] = [idOf(connection), webhookUrlsOf(connection).join(' ')];
  // A cursor holds when the connection gets another address; one without an identifier is told by its addresses.
  const list = `${id ?? urls} ${listKeyOf(listWebhookDeliveries, { filter })}`;
  const window = windowOf(paging, (text) => decodeCursor(list, text));
  const { first, last, offset } = window;
  const [after, before] = [placeOf(window.after), placeOf(window.before)];
  const isCrossed = after !== null && before !== null && comparePositions(before, after) <= 0;
  const isOther = connectionId != null && connectionId !== '' && comparableId(connectionId) !== id;
  const count = first === null ? null : offset + first;
  const known = window.after?.total ?? null;
  const isBounded = ['gte', 'lte'].some((side) => givenAt({ filter }, ['filter', 'startedAt', side]) != null);
  const isDated = isBounded || known !== null || before?.moment != null;
  const { deliveries, frontier } =
    isCrossed || isOther
      ? { deliveries: [], frontier: null }
      : await context.loaders.once(JSON.stringify([list, urls, count, after, before, known]), () =>
          readOwned({ connection, filter, after, before, count, isDated }, context),
        );
  const found = deliveries.slice(offset, count ?? undefined);
  const skipped = last === null ? 0 : Math.max(0, found.length - last);
  const rows = found.slice(skipped);
  const isShort = count !== null && deliveries.length < count && frontier !== null;
  const totalCount = frontier === null && after === null && before === null ? deliveries.length : null;
  const length = known ?? (momentOf(deliveries.at(-1)?.started_at) === null ? null : totalCount);
  return {
    rows,
    cursors: cursorsAt(list, rows.map(positionOf), length),
    ...(isShort && { continuation: cursorsAt(list, [frontier], length).at(0) }),
    totalCount,
    // How many deliveries are newer than a cursor is not known.
    offset: after === null ? Math.min(offset, deliveries.length) + skipped : null,
    hasNextPage: deliveries.length > (count ?? Infinity) || frontier !== null || before !== null,
    hasPreviousPage: skipped > 0 || Math.min(offset, deliveries.length) > 0 || after !== null,
  };
}

function placeOf(anchor: Anchor | null): Position | null {
  return anchor === null ? null : { moment: anchor.time?.moment ?? null, row: anchor.row };
}

/** With a `total`, all deliveries had a start when the chain of pages began. */
function cursorsAt(list: string, positions: readonly Position[], total: number | null): Cursors {
  return cursorsOf(() => ({
    list,
    from: 0,
    total,
    moments: positions.map(({ moment }) => moment),
    direction: -1,
    newest: null,
    beside: { before: 0, after: 0 },
    hashAt: (index) => (positions[index] as Position).row,
  }));
}

/** Deliveries of a connection, newest first. */
interface Owned {
  readonly deliveries: readonly WebhookDeliveryRecord[];
  /** The position up to which all are there; null where they were read to their end. */
  readonly frontier: Position | null;
}

interface OwnedQuery {
  readonly connection: IpConnectionRecord;
  readonly filter: Arguments;
  /** The reader's position; null at the head. */
  readonly after: Position | null;
  /** The position at which the reader wants no more; null at the end. */
  readonly before: Position | null;
  /** How many deliveries are wanted; null where all of them are. */
  readonly count: number | null;
  /** Whether all of them have a start. */
  readonly isDated: boolean;
}

/**
 * Reads the deliveries of a connection. The upstream filters by substring: the list of those with its identifier in the event, and the
 * list of those to its address, are read side by side, then those to its second address; what belongs to others is dropped. The list that
 * is behind is read on until enough deliveries are there, or `scanPages` calls were made for it. Throws QUERY_TOO_COMPLEX where
 * all deliveries are wanted and those calls do not reach the last of them.
 */
async function readOwned(query: OwnedQuery, { loaders, scanPages }: Context): Promise<Owned> {
  const { connection, count } = query;
  let owners: Owners | null = null;
  const read = async (): Promise<Owners> => (owners ??= await readOwners(loaders, scanPages));
  const searches: OwnedSearch[] = [];
  const budgets = { webhook: new CallBudget(scanPages), attempts: new CallBudget(scanPages) };
  const search = (sought: readonly Sought[]): Promise<unknown> => {
    const begun = sought.map(
      (each) => new OwnedSearch({ ...query, ...each, loaders, budget: budgets[each.part], read }),
    );
    searches.push(...begun);
    return allInOrder(begun.map((each) => each.readOn()));
  };
  const [url, secondUrl] = webhookUrlsOf(connection).map((text): Sought => ({ part: 'attempts', text }));
  const named = spellingsOf(connection).map((text): Sought => ({ part: 'webhook', text }));
  await search(url === undefined ? named : [...named, url]);
  // Most second addresses are shared: once that is known, no call is needed.
  const isOfNobody = (secondUrl && (owners as Owners | null)?.isShared(secondUrl.text)) ?? false;
  if (secondUrl !== undefined && !isOfNobody) await search([secondUrl]);
  for (;;) {
    const open = searches.filter(({ isWhole }) => !isWhole);
    const [nearest = null] = open.map(({ frontier }) => frontier ?? head).sort(comparePositions);
    const deliveries = distinct(
      listWebhookDeliveries,
      searches.flatMap((each) => each.deliveries),
    )
      .filter((delivery) => nearest === null || comparePositions(positionOf(delivery), nearest) <= 0)
      .sort((a, b) => comparePositions(positionOf(a), positionOf(b)));
    const isEnough = count !== null && deliveries.length > count;
    const behind = open.filter(({ frontier }) => comparePositions(frontier ?? head, nearest ?? head) === 0);
    if (isEnough || behind.length === 0 || behind.some(({ isSpent }) => isSpent))
      return { deliveries, frontier: nearest };
    await allInOrder(behind.map((each) => each.readOn()));
  }
}

/** The identifier of a connection as events may spell it: the upstream's filter may tell capital letters from small ones. */
function spellingsOf(connection: IpConnectionRecord): readonly string[] {
  const own = identifierOf(connection.id);
  if (own === undefined) return [];
  return comparableId(own) === comparableId(own.toUpperCase())
    ? [...new Set([own, own.toLowerCase(), own.toUpperCase()])]
    : [own];
}

/** The positions before all others, and between the deliveries with a start and those without. */
const head: Position = { moment: '9999-12-31T23:59:59.999999999Z', row: noRow };
const undated: Position = { moment: null, row: 0 };

const longAgo: Moment = '1970-01-01T00:00:00Z';

// The upstream's filter also finds what only contains the wanted text, so more rows are read than are wanted.
const leastRead = 100;

/** The part of a delivery by which the upstream finds it, and the text that it holds. */
interface Sought {
  readonly part: 'webhook' | 'attempts';
  readonly text: string;
}

interface OwnedSearchOptions extends OwnedQuery, Sought {
  readonly loaders: Loaders;
  /** The calls that the list may take; those to both addresses share them. */
  readonly budget: CallBudget;
  /** Reads whose other deliveries are, where that is asked. */
  readonly read: () => Promise<Owners>;
}

/** A list of the upstream that holds some deliveries of a connection among others, read on from the newest. */
class OwnedSearch {
  /** The connection's deliveries in the part of the list that was read. */
  deliveries: readonly WebhookDeliveryRecord[] = [];
  /** The position up to which they are all there; null where no order in time shows it. */
  frontier: Position | null = null;
  /** Whether the list was read to its end, or to that of what is wanted. */
  isWhole = false;
  /** Whether no call is left. */
  isSpent = false;
  readonly #options: OwnedSearchOptions;
  readonly #sizes = new ServedSizes(listWebhookDeliveries.pageLimit);
  #newest: Moment | null;
  #list: PagesRead<WebhookDeliveryRecord | null>;
  #known: readonly WebhookDeliveryRecord[] = [];
  #size: number;

  constructor(options: OwnedSearchOptions) {
    const { after, count } = options;
    this.#options = options;
    this.#newest = after === null ? null : (after.moment ?? longAgo);
    if (after?.moment === null) this.frontier = undated;
    this.#list = this.#listFrom(this.#newest);
    this.#size = count === null ? this.#sizes.most : Math.max(leastRead, 2 * count);
  }

  /** Reads one page more. Throws QUERY_TOO_COMPLEX where no call is left, and no position shows from where to go on. */
  async readOn(): Promise<void> {
    if (this.frontier === undated && this.#newest !== null) return this.#readUndated();
    const isRead = await readOn(this.#list, this.#size);
    this.#size = this.#sizes.most;
    const rows = distinct(listWebhookDeliveries, [...this.#known, ...this.#list.headRows]);
    this.#known = rows;
    const isLast = this.#newest === null || this.#options.isDated;
    if (this.#list.isWhole) return this.#settle(rows, isLast ? null : undated);
    const oldest = this.frontier === undated ? null : oldestOf(rows);
    const { deliveries, frontier } = settledOf(rows, oldest);
    const { before } = this.#options;
    if (before !== null && frontier !== null && comparePositions(frontier, before) >= 0)
      return this.#settle(deliveries, null);
    if (!isRead) this.#stop(frontier);
    if (frontier !== null) await this.#settle(deliveries, frontier);
    // A bound is sent in milliseconds: a list of more rows than a page within one of them is read on by position.
    if (oldest === null || (this.#newest !== null && boundOf(oldest, 'lte') === boundOf(this.#newest, 'lte'))) return;
    // The list is read on by time, not by position, so deliveries that come and go meanwhile shift nothing.
    this.#newest = oldest;
    this.#list = this.#listFrom(oldest);
  }

  /** Goes on to the deliveries without a start, which bounds in time keep out, by position, unless counts show that there are none. */
  async #readUndated(): Promise<void> {
    if (this.#options.budget.left < 2) return this.#stop(undated);
    const counts = [null, behindMoment(longAgo)].map((before) => readTotal(this.#source(null, before)));
    const [all, dated] = await allInOrder(counts);
    if (all !== null && all === dated) return this.#settle(this.#known, null);
    this.#newest = null;
    this.#list = this.#listFrom(null);
  }

  /** Ends the search for now. Without an order in time there is no position from which a next page could go on. */
  #stop(frontier: Position | null): void {
    const { limit } = this.#options.budget;
    if (this.#options.count === null || frontier === null)
      throw beyondScan(listWebhookDeliveries, limit, limit * this.#sizes.most, null);
    this.isSpent = true;
  }

  /** Notes which of some rows are wanted; null: there are no others. */
  async #settle(rows: readonly WebhookDeliveryRecord[], frontier: Position | null): Promise<void> {
    const { part, text, connection, read } = this.#options;
    const id = idOf(connection);
    const isCandidate = (row: WebhookDeliveryRecord): boolean =>
      part === 'webhook' ? connectionIdOf(row) === id : urlsTriedBy(row).includes(text);
    const candidates = rows.filter((row) => isCandidate(row) && isBetween(positionOf(row), this.#options));
    this.deliveries = await ownedBy(id, candidates, read);
    this.frontier = frontier;
    this.isWhole = frontier === null;
  }

  #listFrom(newest: Moment | null): PagesRead<WebhookDeliveryRecord | null> {
    return new PagesRead(this.#source(newest));
  }

  #source(newest: Moment | null, before = this.#options.before): Source<WebhookDeliveryRecord | null> {
    const { loaders, budget } = this.#options;
    const { args, ownArguments } = argumentsOf({ ...this.#options, before }, newest);
    return listSource(listWebhookDeliveries, args, loaders, { budget, sizes: this.#sizes, ownArguments });
  }
}

function isBetween(position: Position, { after, before }: OwnedQuery): boolean {
  const isBehind = after === null || comparePositions(position, after) > 0;
  return isBehind && (before === null || comparePositions(position, before) < 0);
}

/**
 * The arguments of one list. Bounds in time keep out what is newer than `newest`, so that a later page costs no more than the first,
 * and what is older than the reader wants. A part that the caller's own filter asks for stays as it is: the API takes one text for it.
 */
function argumentsOf({ part, text, filter, before }: Sought & OwnedQuery, newest: Moment | null) {
  const contains = ['webhook', 'attempts']
    .map((each) => ['filter', each, 'contains'])
    .filter((path) => givenAt({ filter }, path) == null);
  const { args, ownArguments } = withOwn({ filter }, [
    ...contains.map((path) => [path, path[1] === part ? text : null] as const),
    [['filter', 'startedAt', 'gte'], before?.moment ?? null],
    [['filter', 'startedAt', 'lte'], newest],
  ]);
  // Whichever the API blames, the caller has not asked for it.
  return { args, ownArguments: [...ownArguments, ...contains] };
}

/** The moment of the last row, as long as the rows are newest first; null where they are not. */
function oldestOf(rows: readonly WebhookDeliveryRecord[]): Moment | null {
  const moments = rows.map(({ started_at: time }) => momentOf(time));
  const direction = directionOf(moments);
  return direction === null || direction === 1 ? null : (moments.at(-1) ?? null);
}

/**
 * The deliveries between which no other can come: those newer than the oldest one read. Where the upstream does not list newest
 * first, there are none before the end.
 */
function settledOf(rows: readonly WebhookDeliveryRecord[], oldest: Moment | null): Owned {
  const deliveries =
    oldest === null ? [] : rows.filter((row) => compareMoments(momentOf(row.started_at) ?? oldest, oldest) > 0);
  const moment = momentOf(deliveries.at(-1)?.started_at);
  return { deliveries, frontier: moment === null ? null : behindMoment(moment) };
}
