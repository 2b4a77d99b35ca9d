import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routes } from '../generated/sandbox-routes.ts';
import { now } from './clock.ts';
import { methodNotAllowed, notFound, Refusal, unexpected } from './errors.ts';
import { behavioursOf, changedBody } from './keys.ts';
import type { Query, RecordBody } from './list.ts';
import { liveCount } from './webhook-delivery.ts';

/**
 * Where to listen, port 0 for a free one; `uptime` returns for how many milliseconds the sandbox has been running, which decides
 * how many deliveries have come, none without it.
 */
export interface SandboxOptions {
  readonly port: number;
  readonly host: string;
  readonly uptime?: () => number;
}

/** A running sandbox; `close` ends open connections at once and resolves when the port is free. */
export interface Sandbox {
  readonly baseUrl: string;
  /** Its present, in milliseconds since 1970. */
  now(): number;
  close(): Promise<void>;
}

/** A JSON body, or a CSV file. */
export type Content = { data: unknown } | { csv: string; filename: string };

/** One endpoint of the API, and the one for a single row where there is one. A file that exports a `route` is served. */
export type Route = { readonly path: string } & (
  | { readonly billing: true; readonly read: (query: Query) => Content }
  | {
      readonly billing?: undefined;
      /** `live` is how many deliveries have come since the start. */
      readonly list: (query: Query, live: number) => RecordBody;
      /** The row of an identifier; undefined where there is none. */
      readonly find: (id: string, live: number) => unknown;
    }
);

interface WireResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** How many milliseconds it is held back. */
  readonly delay: number;
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

function successOf(content: Content): Omit<WireResponse, 'delay'> {
  if ('data' in content) return { status: 200, headers: { 'content-type': jsonType }, body: JSON.stringify(content) };
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${content.filename}"`,
  };
  return { status: 200, headers, body: content.csv };
}

function refusalOf(error: unknown): Omit<WireResponse, 'delay'> {
  const { status, body } = error instanceof Refusal ? error : unexpected;
  const headers = { 'content-type': jsonType, ...(status === 405 && { allow: 'GET' }) };
  return { status, headers, body: JSON.stringify(body) };
}

/** Checks the path, then the method, then the key, then the account, then parameters. */
function responseTo({ method, url = '/', headers }: IncomingMessage, uptime: () => number): WireResponse {
  const [path = '/', ...rest] = url.split('?');
  const query = new URLSearchParams(rest.join('?'));
  const live = liveCount(uptime());
  let delay = 0;
  try {
    const { route, id } = findRoute(path);
    if (method !== 'GET') throw methodNotAllowed;
    const behaviours = behavioursOf(headers.authorization);
    if (route.billing === true) {
      for (const { reportDelay = 0, reportRefusal } of behaviours) {
        delay += reportDelay;
        if (reportRefusal !== undefined) throw reportRefusal;
      }
      return { ...successOf(route.read(query)), delay };
    }
    const content = changedBody(behaviours, id, query, (understood) => {
      if (id === null) return route.list(understood, live);
      const row = route.find(id, live);
      if (row === undefined) throw notFound;
      return { data: row };
    });
    return { ...successOf(content), delay };
  } catch (error) {
    return { ...refusalOf(error), delay };
  }
}

function respond(request: IncomingMessage, response: ServerResponse, uptime: () => number): void {
  // The sandbox reads no body, and drains it so that the connection stays usable.
  request.resume();
  const { status, headers, body, delay } = responseTo(request, uptime);
  const send = (): void => {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  if (delay === 0) return send();
  const timer = setTimeout(send, delay);
  response.once('close', () => clearTimeout(timer));
}

/** Starts the sandbox upstream; rejects when the address cannot be bound. */
export async function startSandbox({ port, host, uptime = () => 0 }: SandboxOptions): Promise<Sandbox> {
  const server = createServer((request, response) => respond(request, response, uptime));
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    baseUrl: `http://${name}:${bound}/v2`,
    now: () => now / 1000 + uptime(),
    async close() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
