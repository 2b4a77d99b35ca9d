import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { routes } from '../generated/sandbox-routes.ts';
import { LRUCache } from 'lru-cache';
import { Controls } from './control.ts';
import { methodNotAllowed, notFound, otherHost, Refusal, unexpected } from './errors.ts';
import { callerOf, changedContent, type Behaviour } from './faults.ts';
import type { Content, Query } from './list.ts';
import { Random } from './random.ts';
import type { Route, World } from './world.ts';

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

interface WireResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const jsonType = 'application/json; charset=utf-8';

function findRoute(path: string): { readonly route: Route; readonly id: string | null } {
  const [, rest = ''] = /^\/v2(\/.*)$/.exec(path) ?? [];
  const [, parent = '', id = ''] = /^(.+)\/([^/]+)$/.exec(rest) ?? [];
  for (const route of routes as readonly Route[]) {
    if (route.path === rest) return { route, id: null };
    if (route.path === parent && route.billing === undefined) return { route, id };
  }
  throw notFound;
}

function successOf(content: Content): WireResponse {
  if ('data' in content) return { status: 200, headers: { 'content-type': jsonType }, body: JSON.stringify(content) };
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${content.filename}"`,
  };
  return { status: 200, headers, body: content.csv };
}

function refusalOf(error: unknown): WireResponse {
  const { status, body, headers } = error instanceof Refusal ? error : unexpected;
  if (typeof body === 'object')
    return { status, headers: { 'content-type': jsonType, ...headers }, body: JSON.stringify(body) };
  return { status, headers: { ...(body !== '' && { 'content-type': 'text/html' }), ...headers }, body };
}

// The last part of each path names its endpoint.
function nameOf({ path }: Route): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const endpointNames = (routes as readonly Route[]).map(nameOf);

const mostCallers = 1_000;
const longestBody = 10_240;

/** Answers the calls of the API. */
class Api {
  readonly controls: Controls;
  readonly #seed: string;
  /** How many calls came with each key and header. */
  readonly #calls = new LRUCache<string, number>({ max: mostCallers });

  constructor({ now = () => Date.now(), seed = '' }: SandboxOptions) {
    this.controls = new Controls(now, endpointNames);
    this.#seed = seed;
    this.controls.whenSet(() => this.#calls.clear());
  }

  respond(request: IncomingMessage, response: ServerResponse): void {
    // The API reads no body, and drains it so that the connection stays usable.
    request.resume();
    const behaviours: Behaviour[] = [];
    const answer = this.#answer(request, behaviours);
    const delay = behaviours.reduce((sum, behaviour) => sum + (behaviour.delay ?? 0), 0);
    if (behaviours.some(({ ending }) => ending === 'never')) return;
    if (delay === 0) return send(response, answer, behaviours);
    const timer = setTimeout(() => send(response, answer, behaviours), delay);
    response.once('close', () => clearTimeout(timer));
  }

  /** Checks the path, then the method, then the key, then its faults, which it notes, then parameters. */
  #answer({ method, url = '/', headers }: IncomingMessage, behaviours: Behaviour[]): WireResponse {
    const [path = '/', ...rest] = url.split('?');
    try {
      const { route, id } = findRoute(path);
      if (method !== 'GET') throw methodNotAllowed;
      const parts = [sandboxHeader(headers), this.controls.parts];
      const { name, account, ...caller } = callerOf(headers.authorization, parts, endpointNames);
      behaviours.push(...caller.behaviours(nameOf(route)));
      this.#refuse(name, behaviours);
      const world = this.controls.worldOf(account);
      const query = new URLSearchParams(rest.join('?'));
      return successOf(changedContent(behaviours, query, (understood) => read(route, id, understood, world)));
    } catch (error) {
      return refusalOf(error);
    }
  }

  #refuse(name: string, behaviours: readonly Behaviour[]): void {
    if (behaviours.length === 0) return;
    const before = this.#calls.get(name) ?? 0;
    this.#calls.set(name, before + 1);
    const dice = new Random(`flaky:${this.#seed}:${name}:${before}`);
    for (const { refuse } of behaviours) {
      const refusal = refuse?.(before, dice) ?? null;
      if (refusal !== null) throw refusal;
    }
  }
}

function read(route: Route, id: string | null, query: Query, world: World): Content {
  if (route.billing === true) return route.read(query, world);
  if (id === null) return route.list(query, world);
  const row = route.find(id, world);
  if (row === undefined) throw notFound;
  return { data: row };
}

function sandboxHeader(headers: IncomingHttpHeaders): string | undefined {
  return headers['x-sandbox']?.toString();
}

function send(
  response: ServerResponse,
  { status, headers, body }: WireResponse,
  behaviours: readonly Behaviour[],
): void {
  const isEnding = (how: Behaviour['ending']): boolean => behaviours.some(({ ending }) => ending === how);
  if (isEnding('reset')) return void response.socket?.resetAndDestroy();
  const whole = Buffer.from(body);
  for (const { order } of behaviours) if (order !== undefined) response.setHeader('x-sandbox-order', order);
  response.writeHead(status, { ...headers, 'content-length': whole.length });
  if (!isEnding('cut')) return void response.end(whole);
  response.write(whole.subarray(0, Math.ceil(whole.length / 2)), () => response.destroy());
}

/** Responds to what is no part of the API. Whoever breaks off a request gets no response. */
async function respondByControls(controls: Controls, path: string, request: IncomingMessage, response: ServerResponse) {
  const { method = '', headers } = request;
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '');
  try {
    const text = await bodyOf(request);
    const asked = { method, path, authorization: headers.authorization, header: sandboxHeader(headers) };
    const { status, body } = controls.respond({ ...asked, body: isJson ? parsed(text) : undefined });
    const own = { 'content-type': jsonType, 'cache-control': 'no-store' };
    send(response, { status, headers: own, body: JSON.stringify(body) }, []);
  } catch {
    response.destroy();
  }
}

/** The body of a request, no longer than a character beyond what may be read. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text = `${text}${chunk}`.slice(0, longestBody + 1);
  return text;
}

function parsed(text: string): unknown {
  try {
    return text.length > longestBody ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a Host is an address or a local name: any other may be that of a page which makes it lead here (DNS rebinding). */
function isLocal(target = 'localhost'): boolean {
  const name = /[\s@/\\?#]/.test(target) ? undefined : URL.parse(`http://${target}`)?.hostname;
  return (
    name !== undefined && (/^(?:[^.]+|(?:.+\.)?localhost\.?)$/.test(name) || isIP(name.replaceAll(/[[\]]/g, '')) !== 0)
  );
}

/** Starts the sandbox upstream; rejects when the address cannot be bound. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { port, host } = options;
  const api = new Api(options);
  const { controls } = api;
  const isLoopback = /^(?:localhost$|::1$|127\.)/.test(host);
  const server = createServer((request, response) => {
    if (isLoopback && !isLocal(request.headers.host)) return send(response, refusalOf(otherHost), []);
    const [path = '/'] = (request.url ?? '/').split('?');
    if (!/^\/sandbox(?:\/|$)/.test(path)) return api.respond(request, response);
    void respondByControls(controls, path, request, response);
  });
  server.listen({ port, host, exclusive: true });
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return Object.assign(controls, {
    baseUrl: `http://${name}:${bound}/v2`,
    async close() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  });
}
