import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LRUCache } from 'lru-cache';
import { routes } from '../generated/sandbox-routes.ts';
import { badParameter, Refusal, refusals } from './errors.ts';
import { callerOf, changedContent, endpointNames, listFaults, nameOf, type Behaviour } from './faults.ts';
import { Random } from './random.ts';
import { makeDelivery, type DeliveryEntry, type DeliveryOrder, type WebhookDelivery } from './webhook-delivery.ts';
import { accounts, microsPerSecond, readPresent, type Account, type Content, type Route, type World } from './world.ts';

/** How a sandbox starts. */
export interface SandboxOptions {
  /** 0 for a free one. */
  readonly port: number;
  readonly host: string;
  /** Its clock, in milliseconds since 1970; absent: the machine's. Deliveries come live from the start on. */
  readonly now?: () => number;
  /** Decides which calls of `flaky` keys fail. */
  readonly seed?: string;
}

/** A running sandbox, with what can be told to it. */
export interface Sandbox extends Controls {
  readonly baseUrl: string;
  /** Ends open connections at once, and resolves when the port is free. */
  close(): Promise<void>;
}

/** A request for what moves the sandbox, which is no part of the API. */
interface ControlRequest {
  readonly path: string;
  /** The key whose account gets a delivery; absent: the large one. */
  readonly authorization?: string | undefined;
  /** The header X-Sandbox. */
  readonly header?: string | undefined;
  readonly body?: unknown;
}

/** Milliseconds after which live deliveries are thinned to as many as earlier days have. */
const stretch = 6 * 3_600_000;
/** Deliveries that were made on demand and are kept; the oldest go first. */
const mostMade = 1_000;
const mostAttempts = 10;

/** What can be told to a sandbox: its clock, and deliveries on demand. */
class Controls {
  /** The parts that all calls have besides those of their keys; undefined for none. */
  parts: string | undefined;
  readonly #clock: () => number;
  readonly #start: number;
  readonly #made: (DeliveryEntry & { readonly account: Account })[] = [];
  readonly #listeners: (() => void)[] = [];
  #aheadMs = 0;
  #count = 0;

  /** `clock` is the one until it is set, in milliseconds since 1970. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#start = Math.floor(clock());
  }

  /** The present, in milliseconds since 1970. */
  now(): number {
    return Math.floor(this.#clock() + this.#aheadMs);
  }

  /** Sets the clock, which runs on from there, to a moment in milliseconds since 1970; null takes back what it was set to. */
  setClock(moment: number | null): void {
    this.#aheadMs = moment === null ? 0 : moment - this.#clock();
    for (const run of this.#listeners) run();
  }

  /** Sets those parts, joined by `+`, and counts calls anew; an empty text for none. Throws a refusal of what is no part. */
  use(parts: string): void {
    callerOf('Bearer a-key', [parts]);
    this.parts = parts === '' ? undefined : parts;
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
    const made = this.#made.filter((one) => one.account === account && one.startedAt < until);
    return { now: now * 1000, since: since * 1000, account, made };
  }

  /** Accounts, faults and the clock. */
  describe() {
    return {
      now: new Date(this.now()).toISOString(),
      keys: 'Any key is taken. Parts of it, joined by +, name an account, faults and only=ENDPOINT; X-Sandbox takes the same.',
      accounts: Object.entries(accounts).map(([name, holds]) => ({ name, ...holds })),
      faults: listFaults(),
      only: endpointNames,
    };
  }

  /** Makes a delivery, which lists have at once. Throws a refusal that names the member at fault. */
  deliver(order: DeliveryOrder = {}, account: Account = accounts.large): WebhookDelivery {
    checkOrder({ ...order });
    const now = this.now() * 1000;
    // The last one made is the newest of all that are listed, also of several in one moment, or once the clock was set back.
    const listed = this.#made.map((one) => one.startedAt).filter((other) => other < now + microsPerSecond);
    const startedAt = Math.max(now, ...listed.map((other) => other + 1));
    const seed = `made-webhook-delivery:${this.#count++}:${now}`;
    const row = makeDelivery(order, seed, startedAt, account);
    this.#made.push({ account, startedAt, id: () => row.id, row: () => row });
    this.#made.splice(0, this.#made.length - mostMade);
    return row;
  }

  /** Responds to `/sandbox`, `/sandbox/clock` or `/sandbox/deliveries`; a refusal has the API's envelope. */
  respond({ path, authorization, header, body }: ControlRequest): { readonly status: number; readonly body: object } {
    try {
      if (path === '/sandbox') return { status: 200, body: this.describe() };
      if (typeof body !== 'object' || body === null || Array.isArray(body)) throw refusals.badBody;
      if (path === '/sandbox/clock') {
        this.setClock(momentOf(body as Members, this.now()));
        return { status: 200, body: { now: new Date(this.now()).toISOString() } };
      }
      const { account } = authorization === undefined ? {} : callerOf(authorization, [header]);
      return { status: 201, body: { data: this.deliver(body, account) } };
    } catch (error) {
      if (error instanceof Refusal && typeof error.body === 'object') return { status: error.status, body: error.body };
      throw error;
    }
  }
}

/** What an order of a delivery may say: the values that a member takes, and the words for them. */
const orderMembers: Record<keyof DeliveryOrder, readonly [takes: (value: unknown) => boolean, words: string]> = {
  type: [(value) => typeof value === 'string' && /^\w[\w.]{0,99}$/.test(value), 'an event type such as call_initiated'],
  connection: [(value) => value === null || typeof value === 'string', 'the id of a connection, or null'],
  status: [(value) => value === 'delivered' || value === 'failed', 'one of delivered, failed'],
  attempts: [
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= mostAttempts,
    `a whole number from 1 to ${mostAttempts}`,
  ],
};

/** Throws the refusal of an order that cannot be kept. */
function checkOrder(order: Members): void {
  refuseOthers(order, ...Object.keys(orderMembers));
  for (const [name, [takes, words]] of Object.entries(orderMembers))
    if (order[name] !== undefined && !takes(order[name])) throw badParameter(name, `${name} must be ${words}.`);
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
  if (seconds === undefined)
    throw badParameter(
      'now',
      'now must be a moment from 2000 to 2099 in ISO 8601, such as 2026-11-01T00:00:00Z, or null.',
    );
  throw badParameter('advanceSeconds', 'advanceSeconds must be a number of seconds that ends from 2000 to 2099.');
}

/** What a response is made of: that of a refusal, too. */
type Answer = Pick<Refusal, 'status' | 'body' | 'headers'>;

/** What answers a path; of a single row its list's route. */
function findRoute(path: string): Pick<Route, 'path' | 'read'> {
  const [, rest = ''] = /^\/v2(\/.*)$/.exec(path) ?? [];
  const [, parent = '', id = ''] = /^(.+)\/([^/]+)$/.exec(rest) ?? [];
  for (const route of routes as readonly Route[]) {
    const { find } = route;
    if (route.path === rest) return route;
    if (route.path === parent && find !== undefined)
      return { path: parent, read: (_query, world) => ({ data: find(id, world) }) };
  }
  throw refusals.notFound;
}

function successOf(content: Content): Answer {
  if ('data' in content && content.data === undefined) throw refusals.notFound;
  if ('data' in content) return { status: 200, body: content, headers: {} };
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${content.filename}"`,
  };
  return { status: 200, body: content.csv, headers };
}

const mostCallers = 1_000;

/** Answers the calls of the API. `seed` decides which calls of `flaky` keys fail. */
function createApi(controls: Controls, seed: string): RequestListener {
  /** How many calls came with each key and header. */
  const calls = new LRUCache<string, number>({ max: mostCallers });
  controls.whenSet(() => calls.clear());

  function refuse(name: string, behaviours: readonly Behaviour[]): void {
    if (behaviours.length === 0) return;
    const before = calls.get(name) ?? 0;
    calls.set(name, before + 1);
    const dice = new Random(`flaky:${seed}:${name}:${before}`);
    for (const behaviour of behaviours) {
      const refusal = behaviour.refuse?.(before, dice) ?? null;
      if (refusal !== null) throw refusal;
    }
  }

  /** Checks the path, then the method, then the key, then its faults, which it notes, then parameters. */
  function answerTo({ method, url = '/', headers }: IncomingMessage, behaviours: Behaviour[]): Answer {
    const [path = '/', ...rest] = url.split('?');
    try {
      const route = findRoute(path);
      if (method !== 'GET') throw refusals.notAllowed;
      const parts = [headers['x-sandbox']?.toString(), controls.parts];
      const { name, account, ...caller } = callerOf(headers.authorization, parts);
      behaviours.push(...caller.behaviours(nameOf(route)));
      refuse(name, behaviours);
      const world = controls.worldOf(account);
      const query = new URLSearchParams(rest.join('?'));
      return successOf(changedContent(behaviours, query, (understood) => route.read(understood, world)));
    } catch (error) {
      return error instanceof Refusal ? error : refusals.unexpected;
    }
  }

  return (request, response) => {
    // The API reads no body, and drains it so that the connection stays usable.
    request.resume();
    const behaviours: Behaviour[] = [];
    const answer = answerTo(request, behaviours);
    const delay = behaviours.reduce((sum, behaviour) => sum + (behaviour.delay ?? 0), 0);
    if (behaviours.some(({ ending }) => ending === 'never')) return;
    if (delay === 0) return send(response, answer, behaviours);
    const timer = setTimeout(() => send(response, answer, behaviours), delay);
    response.once('close', () => clearTimeout(timer));
  };
}

function send(response: ServerResponse, { status, headers, body }: Answer, behaviours: readonly Behaviour[]): void {
  const isEnding = (how: Behaviour['ending']): boolean => behaviours.some(({ ending }) => ending === how);
  if (isEnding('reset')) return void response.socket?.resetAndDestroy();
  const [type, text] =
    typeof body === 'string' ? ['text/html', body] : ['application/json; charset=utf-8', JSON.stringify(body)];
  const whole = Buffer.from(text);
  for (const { order } of behaviours) if (order !== undefined) response.setHeader('x-sandbox-order', order);
  response.writeHead(status, {
    ...(text !== '' && { 'content-type': type }),
    ...headers,
    'content-length': whole.length,
  });
  if (!isEnding('cut')) return void response.end(whole);
  response.write(whole.subarray(0, Math.ceil(whole.length / 2)), () => response.destroy());
}

/** Starts the sandbox upstream; rejects when the address cannot be bound. */
export async function startSandbox({
  port,
  host,
  now = () => Date.now(),
  seed = '',
}: SandboxOptions): Promise<Sandbox> {
  const controls = new Controls(now);
  const server = createServer(createApi(controls, seed));
  server.listen({ port, host, exclusive: true });
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  let closed: Promise<void> | undefined;
  return Object.assign(controls, {
    baseUrl: `http://${name}:${bound}/v2`,
    close() {
      server.closeAllConnections();
      return (closed ??= server[Symbol.asyncDispose]());
    },
  });
}
