import { microsPerSecond, presentExpected, readPresent } from './clock.ts';
import { makeDelivery, type DeliveryOrder, type WebhookDelivery } from './delivery.ts';
import { badParameter, notAllowed, notFound, Refusal, unsupportedBody } from './errors.ts';
import { callerOf, listFaults } from './faults.ts';
import { accounts, type Account, type AccountName, type Entry, type World } from './world.ts';

/** A request for what moves the sandbox, which is no part of the API. */
export interface ControlRequest {
  readonly method: string;
  /** `/sandbox`, or a path below it. */
  readonly path: string;
  /** The key whose account gets a delivery; absent: the large one. */
  readonly authorization?: string | undefined;
  /** The header X-Sandbox. */
  readonly header?: string | undefined;
  /** A parsed body; undefined where it was no JSON. */
  readonly body?: unknown;
}

/** The response to it, a refusal in the API's envelope. */
export interface ControlResponse {
  readonly status: number;
  readonly body: object;
}

/** Milliseconds after which live deliveries are thinned to as many as earlier days have. */
const stretch = 6 * 3_600_000;
/** Deliveries that were made on demand and are kept; the oldest go first. */
const mostMade = 1_000;
const mostAttempts = 10;
const statuses = ['delivered', 'failed'] as const;

/** What can be told to a sandbox: its clock, and deliveries on demand. */
export class Controls {
  readonly #read: () => number;
  readonly #start: number;
  readonly #endpoints: string[];
  readonly #made: { readonly account: Account; readonly entry: Entry<WebhookDelivery> }[] = [];
  readonly #listeners: (() => void)[] = [];
  #parts: string | undefined;
  #aheadMs = 0;
  #count = 0;

  /** `read` is the clock until it is set, in milliseconds since 1970. */
  constructor(read: () => number, endpoints: string[]) {
    this.#read = read;
    this.#start = Math.floor(read());
    this.#endpoints = endpoints;
  }

  /** The present, in milliseconds since 1970. */
  now(): number {
    return Math.floor(this.#read() + this.#aheadMs);
  }

  /** Sets the clock, which runs on from there, to a moment in milliseconds since 1970; null takes back what it was set to. */
  setClock(moment: number | null): void {
    this.#aheadMs = moment === null ? 0 : moment - this.#read();
    for (const run of this.#listeners) run();
  }

  /** The parts that all calls have besides those of their keys; undefined for none. */
  get parts(): string | undefined {
    return this.#parts;
  }

  /** Sets those parts, joined by `+`, and counts calls anew; an empty text for none. Throws a refusal of what is no part. */
  use(parts: string): void {
    callerOf('Bearer a-key', [parts], this.#endpoints);
    this.#parts = parts === '' ? undefined : parts;
    for (const run of this.#listeners) run();
  }

  /** Runs whenever the clock or the parts of all calls have been set. */
  whenSet(run: () => void): void {
    this.#listeners.push(run);
  }

  /** What the answers to an account depend on, at this moment. */
  worldOf(account: Account): World {
    const now = this.now();
    const since = this.#start + Math.floor((now - this.#start) / stretch) * stretch;
    // The clock may have been set back.
    const until = now * 1000 + microsPerSecond;
    const made = this.#made
      .filter((one) => one.account === account && one.entry.startedAt < until)
      .map(({ entry }) => entry);
    return { now: now * 1000, since: since * 1000, account, made };
  }

  /** Accounts, faults and the clock. */
  describe() {
    return {
      now: new Date(this.now()).toISOString(),
      keys: 'Any key is taken. Parts of it, joined by +, name an account, faults and only=ENDPOINT; X-Sandbox takes the same.',
      accounts: Object.entries(accounts).map(([name, holds]) => ({ name, ...holds })),
      faults: listFaults(),
      only: this.#endpoints,
    };
  }

  /** Makes a delivery, which lists have at once. Throws a refusal that names the member where there is no such connection. */
  deliver(order: DeliveryOrder = {}, account: Account = accounts.large): WebhookDelivery {
    const now = this.now() * 1000;
    // Of several in one moment the last one made is the newest.
    const latest = this.#made.at(-1)?.entry.startedAt ?? 0;
    const startedAt = latest >= now && latest < now + microsPerSecond ? latest + 1 : now;
    const row = makeDelivery(order, `made-webhook-delivery:${this.#count++}:${now}`, startedAt, account);
    if (row === undefined)
      throw badParameter('connection', 'connection must be the id of a connection of the account.');
    this.#made.push({ account, entry: { startedAt, id: () => row.id, row: () => row } });
    this.#made.splice(0, this.#made.length - mostMade);
    return row;
  }

  /** Makes a delivery for an account by name. Throws a refusal that names the member at fault. */
  order(order: object, account: AccountName): WebhookDelivery {
    return this.deliver(orderOf({ ...order }), accounts[account]);
  }

  /** Responds to a request of `/sandbox` or of a path below it. */
  respond(request: ControlRequest): ControlResponse {
    try {
      return this.#respond(request);
    } catch (error) {
      if (error instanceof Refusal && typeof error.body === 'object') return { status: error.status, body: error.body };
      throw error;
    }
  }

  #respond({ method, path, authorization, header, body }: ControlRequest): ControlResponse {
    if (!['/sandbox', '/sandbox/clock', '/sandbox/deliveries'].includes(path)) throw notFound;
    const expected = path === '/sandbox' ? 'GET' : 'POST';
    if (method !== expected) throw notAllowed(expected);
    if (method === 'GET') return { status: 200, body: this.describe() };
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw unsupportedBody;
    if (path === '/sandbox/clock') {
      this.setClock(momentOf(body as Members, this.now()));
      return { status: 200, body: { now: new Date(this.now()).toISOString() } };
    }
    const { account } = authorization === undefined ? {} : callerOf(authorization, [header], this.#endpoints);
    return { status: 201, body: { data: this.deliver(orderOf(body as Members), account) } };
  }
}

type Members = Readonly<Record<string, unknown>>;

function refuseOthers(members: Members, ...names: readonly string[]): void {
  const other = Object.keys(members)
    .find((name) => !names.includes(name))
    ?.slice(0, 100);
  if (other !== undefined) throw badParameter(other, `${other} is no member: ${names.join(', ')} are.`);
}

/** The moment that a body sets the clock to, at the given present. */
function momentOf(members: Members, present: number): number | null {
  refuseOthers(members, 'now', 'advanceSeconds');
  const { now, advanceSeconds: seconds } = members;
  if ((now === undefined) === (seconds === undefined)) throw badParameter('now', 'Give either now or advanceSeconds.');
  if (now === null) return null;
  const isAhead = typeof seconds === 'number' && Math.abs(seconds) < 1e10;
  const moment = readPresent(isAhead ? new Date(present + seconds * 1000).toISOString() : now);
  if (moment !== undefined) return moment;
  if (seconds === undefined) throw badParameter('now', `now must be ${presentExpected}, or null.`);
  throw badParameter('advanceSeconds', 'advanceSeconds must be a number of seconds that ends from 2000 to 2099.');
}

function orderOf(members: Members): DeliveryOrder {
  refuseOthers(members, 'type', 'connection', 'status', 'attempts');
  const { type = 'x', connection = null, status = 'failed', attempts = 1 } = members;
  if (typeof type !== 'string' || !/^\w[\w.]{0,99}$/.test(type))
    throw badParameter('type', 'type must be an event type such as call_initiated.');
  if (connection !== null && typeof connection !== 'string')
    throw badParameter('connection', 'connection must be the id of a connection, or null.');
  if (!statuses.some((one) => one === status))
    throw badParameter('status', `status must be one of ${statuses.join(', ')}.`);
  if (!Number.isInteger(attempts) || Number(attempts) < 1 || Number(attempts) > mostAttempts)
    throw badParameter('attempts', `attempts must be a whole number from 1 to ${mostAttempts}.`);
  return members;
}
