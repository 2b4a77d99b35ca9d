import type { Client, Random, Step } from '../types.ts';
import type { Account, MovingList, Row } from '../model/account.ts';
import type { GraphqlError, Model } from '../model/model.ts';
import { misshownOf, viewOf, type Filter } from '../model/view.ts';
import { argumentOf, selectedOf, spelledOf } from './words.ts';

/** One connection of a stream: how long it lasts, and how long its client is away then. */
interface Leg {
  readonly forMs: number;
  readonly awayMs: number;
  readonly replica: number;
}

const modes = ['feed', 'feed', 'deliveries'] as const;
type Mode = (typeof modes)[number];

/** Steps that follow deliveries, leave, and come back where they were. */
export function makeFeedStep(random: Random, at: number, caller: number): Step {
  const legs = Array.from({ length: 1 + random.below(4) }, (): Leg => ({
    forMs: random.pick([100, 3_000, 20_000, 60_000]),
    awayMs: random.pick([0, 100, 5_000, 30_000]),
    replica: random.below(2),
  }));
  return {
    at,
    kind: 'feed',
    caller,
    mode: random.pick(modes),
    filter: random.pick([0, 0, 1, 2]),
    selected: random.chance(0.3),
    legs,
  };
}

// A cursor names so many deliveries of the overlap one by one.
const namedByCursor = 245;

interface FeedEvent {
  readonly id: string;
  readonly name: string;
  // A judge reads results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** Cuts a stream's text into events. */
function createReader(take: (event: FeedEvent) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [id, name, data] = ['id', 'event', 'data'].map((field) => {
        const line = block.split('\n').find((each) => each.startsWith(`${field}:`));
        return line?.slice(field.length + 1).trim() ?? '';
      }) as [string, string, string];
      if (id + name + data !== '') take({ id, name, data: data === '' ? null : JSON.parse(data) });
    }
  };
}

/** What a client of a stream has been told, and what it has to be told yet. */
class Follower {
  readonly #model: Model;
  readonly #list: MovingList;
  readonly #wire: Filter;
  readonly #what: string;
  /** What came, in order. */
  readonly #arrived: Row[] = [];
  #ids = new Set<string>();
  /** What was listed when it began, and is no news. */
  #old: ReadonlySet<string> = new Set();
  #begunAt = -Infinity;
  /** From when on everything that is listed must come. */
  #since = Infinity;
  #isManyInOverlap = false;
  cursor: string | null = null;

  constructor(model: Model, list: MovingList, filter: number, what: string) {
    this.#model = model;
    this.#list = list;
    this.#wire = spelledOf({ list: 'deliveries', filter, order: 0 }).wire;
    this.#what = what;
  }

  /** A stream is asked for, anew or from the cursor on. */
  begin(): void {
    const { world } = this.#model;
    this.#isManyInOverlap ||= this.#countRecent() > namedByCursor;
    if (this.cursor !== null) return;
    // One poll may serve several streams: what it has not seen yet is news.
    this.#begunAt = world.now() - 2 * this.#model.setting('SUBSCRIPTION_POLL_MS') - 3_000;
    const [oldest] = this.#list.between(this.#begunAt, world.now());
    this.#old = new Set(oldest?.rows.map(({ id }) => id));
    this.#ids = new Set();
    this.#arrived.length = 0;
    this.#since = Infinity;
  }

  /** How many rows a cursor may have to name: those of twice the overlap, and those that came and have gone. */
  #countRecent(): number {
    const view = viewOf(this.#list.rows, this.#wire);
    const from = this.#newest(view) - 2 * this.#model.setting('SUBSCRIPTION_OVERLAP_MS');
    const recent = view.filter(({ moment }) => Date.parse(moment) >= from).map(({ id }) => id);
    return new Set([...recent, ...this.#ids]).size;
  }

  #newest(view: readonly Row[]): number {
    return Date.parse(view[0]?.moment ?? '1970-01-01T00:00:00Z');
  }

  /** The stream has begun, or tells that it has missed something: what is listed from now on must come. */
  noteBegun(hasMissed = false): void {
    const now = this.#model.world.now();
    this.#since = hasMissed ? now : Math.min(this.#since, now);
  }

  /**
   * Whether each delivery comes once, in order: not if more are new than a cursor names, if rows go, by which another one slips past the
   * reading of a page, or if the machine's clock jumps.
   */
  #isExact(now: number): boolean {
    const lengths = this.#list.between(this.#begunAt, now).map(({ rows }) => rows.length);
    const hasGone = lengths.some((length, index) => length <= (lengths[index - 1] ?? -1));
    return !this.#model.hasJumps && !this.#isManyInOverlap && !hasGone;
  }

  noteDelivery(node: { readonly id: string }): void {
    const { id } = node;
    const now = this.#model.world.now();
    const versions = this.#list.between(now - 150_000, now);
    const forms = new Set(versions.flatMap(({ rows }) => rows.find((row) => row.id === id) ?? []));
    const passing = viewOf([...forms], this.#wire);
    const [row] = passing;
    if (row === undefined)
      return this.#model.breach('a delivery of a stream is one that was listed', `${id}: ${this.#what}`);
    const misshown = misshownOf(node, passing);
    if (misshown !== null) this.#model.breach('a row is what the API sent', `${id} ${misshown}: ${this.#what}`);
    if (this.#isExact(now)) {
      const listedAt = this.#list.listedAt(id);
      const isLate = this.#arrived.some((each) => this.#list.listedAt(each.id) > listedAt && each.moment > row.moment);
      if (this.#ids.has(id)) this.#model.breach('each delivery comes once', `${id}: ${this.#what}`);
      if (this.#old.has(id)) this.#model.breach('a stream has news alone', `${id}: ${this.#what}`);
      if (isLate) this.#model.breach('deliveries come in order', `${id}: ${this.#what}`);
    }
    this.#ids.add(id);
    this.#arrived.push(row);
    return this.#model.count('feed delivery');
  }

  /** What has been listed for long enough, and not late, stands there as it was, and has not come. */
  missing(graceMs: number): readonly string[] {
    if (this.#model.hasJumps) return [];
    const now = this.#model.world.now();
    const view = viewOf(this.#list.rows, this.#wire);
    const lateMs = this.#model.setting('SUBSCRIPTION_OVERLAP_MS') / 2;
    const isDue = ({ id, moment }: Row): boolean => {
      const listedAt = this.#list.listedAt(id);
      const isLate = Date.parse(moment) < Math.min(this.#newest(view), listedAt) - lateMs;
      return listedAt > this.#since && listedAt < now - graceMs && !isLate && !this.#ids.has(id);
    };
    return view.filter(isDue).map(({ id }) => id);
  }
}

function documentOf(
  mode: Mode,
  filter: number,
  isFull: boolean,
): { readonly query: string; readonly variables: object } {
  const { filter: chosen } = spelledOf({ list: 'deliveries', filter, order: 0 });
  const fields = isFull ? selectedOf('deliveries', 'full').slice(1, -1) : 'id';
  const variables = chosen.argument === undefined ? {} : { filter: chosen.argument };
  const query =
    mode === 'deliveries'
      ? `subscription ($filter: WebhookDeliveryFilter) { webhookDeliveries(filter: $filter) { ${fields} } }`
      : `subscription ($after: String, $filter: WebhookDeliveryFilter) { deliveryFeed(after: $after, filter: $filter) {
          ... on DeliveryArrived { cursor delivery { ${fields} } } ... on FeedStateChanged { state from: cursor reason missed } } }`;
  return { query, variables };
}

// What was listed within so many polls need not have come yet.
const gracePolls = 4;

// How long a stream may take to bring what it owes, when nothing is wrong any longer.
const patienceMs = 120_000;

interface Follow {
  readonly model: Model;
  readonly client: Client;
  readonly account: Account;
  readonly mode: Mode;
  readonly document: ReturnType<typeof documentOf>;
  readonly follower: Follower;
  readonly what: string;
}

/** A stream that comes and goes: each delivery once and in order, and none is lost. */
export async function playFeed(step: Step, model: Model, account: Account, client: Client): Promise<void> {
  const mode = argumentOf<Mode>(step, 'mode');
  const filter = argumentOf<number>(step, 'filter');
  const document = documentOf(mode, filter, step['selected'] === true);
  const what = `${mode} with filter ${filter} of ${account.number}, begun at ${step.at}`;
  const follower = new Follower(model, account.lists.deliveries, filter, what);
  const follow = { model, client, account, mode, document, follower, what };
  const legs = argumentOf<readonly Leg[]>(step, 'legs');
  for (const { forMs, awayMs, replica } of legs) {
    await stay(follow, replica, () => model.world.sleep(forMs));
    await model.world.sleep(awayMs);
  }
  await waitForAll(follow, legs.at(-1)?.replica ?? 0);
}

/** Goes on until everything has come that must; what does not come within the time is lost. */
async function waitForAll(follow: Follow, replica: number): Promise<void> {
  const { model, account, follower, what } = follow;
  const { world } = model;
  const graceMs = gracePolls * model.setting('SUBSCRIPTION_POLL_MS') + 2_000;
  const begun = world.now();
  let quietSince = begun;
  const state = { isDone: account.manners.deliveries.lie !== 'none' };
  const look = async (): Promise<void> => {
    for (let turn = 0; turn < 10 && !state.isDone; turn++) {
      await world.sleep(2_000);
      const now = world.now();
      const isDisturbed = model.disturbances.has(model.servedBy(replica), now, now);
      if (isDisturbed || model.faults.metAt(account.number) > now - 2_500) quietSince = now;
      const missing = follower.missing(graceMs);
      if (missing.length === 0) state.isDone = now - begun > graceMs;
      else if (now - quietSince > graceMs + patienceMs) {
        model.breach('no delivery is lost', `${missing.length}, such as ${missing[0]}: ${what}`);
        state.isDone = true;
      }
    }
  };
  while (!state.isDone && world.now() < model.endsAt) await stay(follow, replica, look);
  model.count(state.isDone ? 'feed whole' : 'feed undecided');
}

/** Follows on one connection until `leave` settles; where the stream ends before, another one is opened. */
async function stay(follow: Follow, replica: number, leave: () => Promise<void>): Promise<void> {
  const leaving = new AbortController();
  const left = leave().then(() => leaving.abort());
  while (!leaving.signal.aborted) {
    await connect(follow, replica, leaving.signal);
    if (!leaving.signal.aborted) await follow.model.world.sleep(1_000);
  }
  await left;
}

async function connect(follow: Follow, replica: number, signal: AbortSignal): Promise<void> {
  const { model, client, account, mode, document, follower, what } = follow;
  follower.begin();
  const { cursor } = follower;
  const variables = { ...document.variables, ...(mode === 'feed' && cursor !== null && { after: cursor }) };
  const headers: Record<string, string> = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    authorization: `Bearer ${account.key}`,
    'x-request-id': model.nextId(),
    ...(mode === 'deliveries' && cursor !== null && { 'last-event-id': cursor }),
  };
  let hasEnded = false;
  const take = (event: FeedEvent): void => {
    if (signal.aborted) return;
    const told = JSON.stringify(event.data);
    model.judgeText(told, what, account);
    model.world.trace(`feed ${what}: ${event.id} ${event.name} ${told.slice(0, 300)}`);
    hasEnded ||= event.name === 'complete' || event.data?.errors !== undefined;
    takeEvent(follow, event);
  };
  const body = JSON.stringify({ query: document.query, variables });
  const question = { method: 'POST', path: '/graphql', headers, body, onChunk: createReader(take), signal };
  const answer = await model.send(client, replica, question, account);
  if (answer === null || signal.aborted || hasEnded) return;
  if (answer.status === 200 && answer.headers['content-type']?.includes('event-stream') === true)
    model.breach('a stream ends with an event', `${what}: ${answer.body.slice(-300)}`);
  else judgeEnd(follow, model.parse(answer.body, what)?.errors ?? []);
}

function takeEvent(follow: Follow, { id, data }: FeedEvent): void {
  const { model, mode, follower } = follow;
  if (mode === 'deliveries' && id !== '') {
    follower.cursor = id;
    follower.noteBegun();
  }
  if (data?.errors !== undefined) return judgeEnd(follow, data.errors);
  if (data?.data?.webhookDeliveries != null) return follower.noteDelivery(data.data.webhookDeliveries);
  const event = data?.data?.deliveryFeed;
  if (event == null) return undefined;
  follower.cursor = event.cursor ?? event.from ?? follower.cursor;
  if (event.delivery != null) return follower.noteDelivery(event.delivery);
  if (event.missed === true || event.state === 'LIVE') follower.noteBegun(event.missed);
  return model.count(`feed ${event.missed === true ? 'missed' : event.state}`);
}

function judgeEnd({ model, follower, what }: Follow, errors: readonly GraphqlError[]): void {
  for (const error of errors) {
    model.judgeError(error, what);
    // So much has come meanwhile that the cursor is of no use.
    if (error.extensions?.code === 'QUERY_TOO_COMPLEX') follower.cursor = null;
  }
}
