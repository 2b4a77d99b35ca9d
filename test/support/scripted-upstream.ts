import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';
import { listenOnLoopback } from './http.ts';

/** A request as it arrived at the upstream. */
export interface SeenRequest {
  /** Below the version-2 root, e.g. `/ip_connections`. */
  readonly path: string;
  /** As it stood on the wire, without the question mark. */
  readonly rawQuery: string;
  /** Decoded, by parameter name. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}

/** What the upstream does: a response of JSON or of any text, or anything at all with the response itself. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly act?: (res: ServerResponse) => void;
}

export type Script = (request: SeenRequest) => Reply | Promise<Reply>;

export type ScriptedUpstream = Awaited<ReturnType<typeof startScriptedUpstream>>;

/** How an upstream replies without a script. */
export const unscripted: Script = () => ({ status: 500, text: 'unscripted' });

/** An upstream on loopback that replies as its script says, 500 without one, and remembers the requests. */
export async function startScriptedUpstream() {
  let current = unscripted;
  const requests: SeenRequest[] = [];
  const server = createServer(async (req, res) => {
    const request = seenRequest(req.url ?? '/', req.headers);
    requests.push(request);
    const { status = 200, headers = {}, json, text, act } = await current(request);
    if (act !== undefined) return act(res);
    res.writeHead(status, { 'content-type': json === undefined ? 'text/plain' : 'application/json', ...headers });
    return res.end(json === undefined ? text : JSON.stringify(json));
  });
  const loopback = await listenOnLoopback(server);
  return {
    /** The version-2 root. */
    baseUrl: loopback.baseUrl(),
    requests,
    /** Sets how the upstream replies from now on. */
    script(script: Script) {
      current = script;
    },
    close() {
      // Vitest keeps what each test was given until all have run.
      current = unscripted;
      return loopback.close();
    },
  };
}

/** A request by its target, a path below `/v2` with its query string, and by its headers. */
export function seenRequest(target: string, headers: IncomingHttpHeaders): SeenRequest {
  const url = new URL(target, 'http://upstream.invalid');
  return {
    path: url.pathname.replace(/^\/v2/, ''),
    rawQuery: url.search.slice(1),
    query: Object.fromEntries(url.searchParams),
    headers,
  };
}

/** No response, on a connection that stays open. */
export const hang: Reply = { act: () => {} };

/** No response, on a connection that is closed. */
export const hangUp: Reply = { act: (res) => res.destroy() };

/** The beginning of a response, of which nothing more comes. */
export function stall(text: string, { status = 200, headers = {} }: Reply = {}): Reply {
  return { act: (res) => void res.writeHead(status, headers).write(text) };
}

/** The beginning of a response, of which the connection is closed. */
export function cutOff(text: string, { status = 200, headers = {} }: Reply = {}): Reply {
  return { act: (res) => void res.writeHead(status, headers).write(text, () => res.destroy()) };
}

/** A reply with one error of the upstream's envelope. */
export function refusal(status: number, code: string, title: string, detail?: string): Reply {
  return { status, json: { errors: [{ code, title, ...(detail !== undefined && { detail }) }] } };
}

/** Replies that wait until they are released, all together, with a reply of JSON. */
export class HeldReplies {
  readonly #held: ServerResponse[] = [];

  readonly reply: Reply = { act: (res) => void this.#held.push(res) };

  get size(): number {
    return this.#held.length;
  }

  release(status: number, body: unknown): void {
    for (const res of this.#held.splice(0))
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

/** A reply that never ends, with promises of its coming and of the end of its call. */
export function watched(reply: Reply): {
  readonly reply: Reply;
  readonly asked: Promise<void>;
  readonly left: Promise<void>;
} {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const act = (res: ServerResponse): void => {
    res.once('close', left.resolve);
    asked.resolve();
    reply.act?.(res);
  };
  return { reply: { act }, asked: asked.promise, left: left.promise };
}

/** A reply with one page of `rows`, cut by the page parameters of the request as the upstream would. */
export function pageReply(rows: readonly unknown[], { query }: SeenRequest, limit = 250): Reply {
  const size = Math.min(Number(query['page[size]'] ?? 20), limit);
  const number = Number(query['page[number]'] ?? 1);
  return {
    json: {
      data: rows.slice((number - 1) * size, number * size),
      meta: {
        total_results: rows.length,
        total_pages: Math.ceil(rows.length / size),
        page_number: number,
        page_size: size,
      },
    },
  };
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** Has the thread stand still, as one does that is stopped, or gets no processor. */
export function standStill(milliseconds: number): void {
  Atomics.wait(never, 0, 0, milliseconds);
}

/** Does something and stands still behind it, between the reading of sockets and the timers of the next turn of the loop. */
export async function actAndStandStill(act: () => void, milliseconds: number): Promise<void> {
  await sleep(50);
  await immediately();
  act();
  standStill(milliseconds);
}
