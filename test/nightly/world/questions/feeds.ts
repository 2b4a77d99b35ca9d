import type { Client, Random, Step } from '../types.ts';
import type { Account, Row } from '../model/account.ts';
import { codesAllowed, type GraphqlError } from '../model/judge.ts';
import type { Model } from '../model/model.ts';
import { differenceOf, shownOf, viewOf } from '../model/view.ts';
import { argumentOf, spelledOf } from './words.ts';

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
    filter: random.pick([0, 0, 1, 2, 3]),
    selected: random.chance(0.3),
    legs,
  };
}

// What a cursor names one by one, and what it has the sum of.
const namedByCursor = 245;
const summedByCursor = 2_000;

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

/** What a client of a stream knows, and what it may be told. */
class Follower {
  readonly #model: Model;
  readonly #account: Account;
  readonly #filter: number;
  readonly #what: string;
  /** What came, in order. */
  readonly #arrived: { readonly id: string; readonly listedAt: number; readonly moment: string }[] = [];
  readonly #ids = new Set<string>();
  /** What was listed when it began, and is no news; null until it has begun. */
  #old: ReadonlySet<string> | null = null;
  #begunAt = -Infinity;
  /** From when on everything that is listed must come. */
  #since = Infinity;
  cursor: string | null = null;
  /** Whether a cursor cannot say all that has been seen, so that some of it may come again. */
  #mayRepeat = false;
  /** Whether a cursor could not be used any longer. */
  isLost = false;

  constructor(model: Model, account: Account, filter: number, what: string) {
    this.#model = model;
    this.#account = account;
    this.#filter = filter;
    this.#what = what;
  }

  /** A stream without a cursor is asked for. */
  begin(): void {
    const { pollMs } = this.#model.settings;
    const now = this.#model.world.now();
    // One poll may serve several streams: what it has not seen yet is news.
    this.#begunAt = now - 2 * pollMs - 3_000;
    const [oldest] = this.#account.lists.deliveries.between(this.#begunAt, now);
    this.#old = new Set(oldest?.rows.map(({ id }) => id));
    this.#ids.clear();
    this.#arrived.length = 0;
    this.#since = Infinity;
    this.isLost = false;
  }

  /** The stream goes on from a cursor. */
  resume(): void {
    const { wire } = spelledOf({ list: 'deliveries', filter: this.#filter, order: 0 });
    const view = viewOf(this.#account.lists.deliveries.rows, wire);
    const newest = Date.parse(view[0]?.moment ?? '1970-01-01T00:00:00Z');
    const isRecent = (moment: string): boolean => Date.parse(moment) >= newest - 2 * this.#model.settings.overlapMs;
    const recent = new Set(view.filter(({ moment }) => isRecent(moment)).map(({ id }) => id));
    const gone = this.#arrived.filter(({ id, moment }) => isRecent(moment) && !recent.has(id)).length;
    // A cursor names so many of the newest, and has the sum of others, which tells nothing where one of them is gone.
    const isTooMany = recent.size + gone > namedByCursor && (gone > 0 || recent.size > summedByCursor);
    // Where the gateway's clock is behind the API's, all that is new is from the future, and a cursor names less of it.
    this.#mayRepeat ||= isTooMany || this.#model.troubles.clockOffsetMs < -1_000;
  }

  /** The stream has begun: what is listed from now on must come. */
  noteBegun(): void {
    this.#since = Math.min(this.#since, this.#model.world.now());
  }

  noteMissed(): void {
    this.#model.count('feed missed');
    this.#since = this.#model.world.now();
  }

  noteDelivery(node: { readonly id: string }): void {
    const { id } = node;
    const list = this.#account.lists.deliveries;
    const { wire } = spelledOf({ list: 'deliveries', filter: this.#filter, order: 0 });
    const now = this.#model.world.now();
    const forms = list
      .between(now - 150_000, now)
      .flatMap(({ rows }) => rows.find((row) => row.id === id) ?? [])
      .filter((row, index, all) => all.indexOf(row) === index);
    if (this.#ids.has(id)) {
      if (!this.#mayRepeat) this.#model.breach('each delivery comes once', `${id}: ${this.#what}`);
      return;
    }
    if (this.#old?.has(id) === true && !this.#mayRepeat && !this.#hasLostRows(now))
      this.#model.breach('a stream has news alone', `${id} was listed before: ${this.#what}`);
    const passing = forms.filter((row) => viewOf([row], wire).length > 0);
    if (passing.length === 0)
      return this.#model.breach('a delivery of a stream is one that was listed', `${id}: ${this.#what}`);
    const differences = passing.map(({ record }) =>
      differenceOf(node, shownOf(record, this.#model.settings.exposesSecrets)),
    );
    if (!differences.includes(null))
      this.#model.breach('a row is what the API sent', `${id} ${differences[0]}: ${this.#what}`);
    const { moment } = passing[0] as Row;
    const listedAt = list.listedAt(id);
    const later = this.#arrived.find((each) => each.listedAt > listedAt && each.moment > moment);
    if (later !== undefined && !this.#mayRepeat && !this.#hasLostRows(now))
      this.#model.breach('deliveries come in order', `${id} after ${later.id}: ${this.#what}`);
    this.#ids.add(id);
    this.#arrived.push({ id, listedAt, moment });
    this.#model.count('feed delivery');
  }

  /** Whether a row has gone since it began: while several pages are read, another one may be missed, and is news later on. */
  #hasLostRows(now: number): boolean {
    const lengths = this.#account.lists.deliveries.between(this.#begunAt, now).map(({ rows }) => rows.length);
    return lengths.some((length, index) => length <= (lengths[index - 1] ?? -1));
  }

  /** What has been listed for long enough, stands there as it was, and has not come. */
  missing(graceMs: number): readonly string[] {
    const now = this.#model.world.now();
    const { overlapMs } = this.#model.settings;
    const { wire } = spelledOf({ list: 'deliveries', filter: this.#filter, order: 0 });
    const list = this.#account.lists.deliveries;
    const view = viewOf(list.rows, wire);
    const newest = Date.parse(view[0]?.moment ?? '1970-01-01T00:00:00Z');
    return view
      .filter(({ id, moment }) => {
        const listedAt = list.listedAt(id);
        // A gateway whose clock is ahead believes deliveries from the future.
        const present = listedAt + Math.max(0, this.#model.troubles.clockOffsetMs);
        const isLate = Date.parse(moment) < Math.min(newest, present) - overlapMs / 2;
        return listedAt > this.#since && listedAt < now - graceMs && !isLate && !this.#ids.has(id);
      })
      .map(({ id }) => id);
  }
}

function documentOf(
  mode: Mode,
  filter: number,
  isFull: boolean,
): { readonly query: string; readonly variables: object } {
  const { filter: chosen } = spelledOf({ list: 'deliveries', filter, order: 0 });
  const fields = isFull
    ? 'id status startedAt attempts { status http { request { url headers { name value } } } } webhook { eventType payload }'
    : 'id';
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

/** Goes on until everything has come that must; what does not come within the time is lost. */
async function waitForAll(follow: Follow, replica: number): Promise<void> {
  const { model, account, follower, what } = follow;
  const { world, settings } = model;
  const graceMs = gracePolls * settings.pollMs + 2_000;
  const begun = world.now();
  let quietSince = begun;
  const state = { isDone: account.manners.deliveries.lie !== 'none' };
  while (!state.isDone && world.now() < model.endsAt) {
    await stay(follow, replica, async () => {
      for (let turn = 0; turn < 10 && !state.isDone; turn++) {
        await world.sleep(2_000);
        const span = [world.now() - 2_500, world.now()] as const;
        if (model.faults.countFor(account.number, ...span) > 0 || model.troubles.isTroubled(replica, ...span))
          quietSince = world.now();
        const missing = follower.missing(graceMs);
        if (missing.length === 0) state.isDone = world.now() - begun > graceMs;
        else if (world.now() - quietSince > graceMs + patienceMs) {
          model.breach('no delivery is lost', `${missing.length}, such as ${missing[0]}: ${what}`);
          state.isDone = true;
        }
      }
    });
  }
  model.count(state.isDone ? 'feed whole' : 'feed undecided');
}

/** A stream that comes and goes: each delivery once and in order, and none is lost. */
export async function playFeed(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const mode = argumentOf<Mode>(step, 'mode');
  const filter = argumentOf<number>(step, 'filter');
  const document = documentOf(mode, filter, step['selected'] === true);
  const what = `${mode} with filter ${filter} of ${account.number}, begun at ${step.at}`;
  const follower = new Follower(model, account, filter, what);
  const follow = { model, client, account, mode, document, follower, what };
  const legs = argumentOf<readonly Leg[]>(step, 'legs');
  for (const { forMs, awayMs, replica } of legs) {
    await stay(follow, replica, () => model.world.sleep(forMs));
    await model.world.sleep(awayMs);
  }
  await waitForAll(follow, legs.at(-1)?.replica ?? 0);
}

interface Follow {
  readonly model: Model;
  readonly client: Client;
  readonly account: Account;
  readonly mode: Mode;
  readonly document: ReturnType<typeof documentOf>;
  readonly follower: Follower;
  readonly what: string;
}

/** Follows on one connection until `leave` settles; where the stream ends before, another one is opened. */
async function stay(follow: Follow, replica: number, leave: () => Promise<void>): Promise<void> {
  const leaving = new AbortController();
  const leaveThen = async (): Promise<void> => {
    await leave();
    leaving.abort();
  };
  const left = leaveThen();
  while (!leaving.signal.aborted) {
    await connect(follow, replica, leaving.signal);
    if (!leaving.signal.aborted) await follow.model.world.sleep(1_000);
  }
  await left;
}

async function connect(
  { model, client, account, mode, document, follower, what }: Follow,
  replica: number,
  signal: AbortSignal,
): Promise<void> {
  const { cursor } = follower;
  if (cursor === null) follower.begin();
  else follower.resume();
  const variables = { ...document.variables, ...(mode === 'feed' && cursor !== null && { after: cursor }) };
  const headers: Record<string, string> = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    authorization: `Bearer ${account.key}`,
    'x-request-id': model.nextId(),
    ...(mode === 'deliveries' && cursor !== null && { 'last-event-id': cursor }),
  };
  let hasEnded = false;
  const take = ({ id, name, data }: FeedEvent): void => {
    if (signal.aborted) return;
    if (name === 'complete') hasEnded = true;
    const told = JSON.stringify(data);
    model.judgeText(told, what, account);
    model.world.trace(`feed ${what}: ${id} ${name} ${told.slice(0, 300)}`);
    const event = data?.data?.deliveryFeed;
    if (mode === 'deliveries' && id !== '') {
      follower.cursor = id;
      follower.noteBegun();
    }
    if (data?.errors !== undefined) return judgeEnd(data.errors);
    if (mode === 'deliveries') {
      if (data?.data?.webhookDeliveries != null) follower.noteDelivery(data.data.webhookDeliveries);
      return;
    }
    if (event == null) return;
    follower.cursor = event.cursor ?? event.from ?? follower.cursor;
    if (event.delivery != null) return follower.noteDelivery(event.delivery);
    if (event.missed === true) follower.noteMissed();
    if (event.state === 'LIVE') follower.noteBegun();
    model.count(`feed ${event.state}`);
  };
  const judgeEnd = (errors: readonly GraphqlError[]): void => {
    hasEnded = true;
    const now = model.world.now();
    const allowed = codesAllowed(model, account, replica, now - 60_000, now);
    for (const { extensions, message } of errors) {
      const code = String(extensions?.code);
      model.count(`feed error ${code}`);
      if (code === 'QUERY_TOO_COMPLEX') follower.cursor = null;
      else if (code === 'UPSTREAM_UNAVAILABLE' && model.troubles.isReplaced(replica, now - 15_000, now))
        model.count('feed moved');
      else if (!allowed.has(code)) model.breach('every error has a reason', `${code} ${message}: ${what}`);
    }
  };
  const body = JSON.stringify({ query: document.query, variables });
  const answer = await model.send(
    client,
    replica,
    { method: 'POST', path: '/graphql', headers, body, onChunk: createReader(take), signal },
    account,
  );
  if (answer === null || signal.aborted || hasEnded) return;
  if (answer.status === 200 && answer.headers['content-type']?.includes('event-stream') === true)
    model.breach('a stream ends with an event', `${what}: ${answer.body.slice(-300)}`);
  else judgeEnd(model.parse(answer.body, what)?.errors ?? []);
}
