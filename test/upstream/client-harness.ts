import { BodyChunks } from '../../src/body-chunks.ts';
import { createCall, type Call, type Caller, type Sending } from '../../src/upstream/call.ts';
import type { Client } from '../../src/upstream/client.ts';
import type { Endpoint } from '../../src/upstream/endpoint.ts';
import type { WireResponse, ResponseHeaders } from '../../src/upstream/response/wire-response.ts';
import type { KnownCallers } from '../../src/upstream/stages/known-callers.ts';

/** Takes every caller for one whose key the API has accepted. */
export const everybodyKnown: KnownCallers = { has: () => true, learn: () => {} };

/** A call that has reached the wire, and waits for what becomes of it. */
export interface WireCall {
  readonly request: Sending;
  /** The bearer key that it came with. */
  readonly key: string;
  readonly answer: (status: number, json?: unknown, headers?: ResponseHeaders) => void;
  readonly fail: (error: Error) => void;
}

/** A wire in memory: every call waits until the test decides on it, or its signal aborts. */
export function createScriptedTransport(decide?: (call: WireCall) => void) {
  /** Under way, in the order of their coming. */
  const pending = new Set<WireCall>();
  /** All that ever came. */
  const paths: string[] = [];
  return {
    pending,
    paths,
    collect: (request: Sending) =>
      new Promise<WireResponse>((resolve, reject) => {
        const settle = (): void => {
          pending.delete(call);
          request.signal.removeEventListener('abort', abort);
        };
        const call: WireCall = {
          request,
          key: request.headers['authorization']?.replace('Bearer ', '') ?? '',
          answer(status, json = { data: {} }, headers = {}) {
            settle();
            resolve({ status, headers, body: new BodyChunks(Buffer.from(JSON.stringify(json))) });
          },
          fail(error) {
            settle();
            reject(error);
          },
        };
        const abort = (): void => call.fail(request.signal.reason as Error);
        paths.push(request.call.target);
        pending.add(call);
        request.signal.addEventListener('abort', abort);
        if (request.signal.aborted) abort();
        else decide?.(call);
      }),
    stream: () => Promise.reject(new Error('Nothing is streamed here.')),
    close: async () => {},
  };
}

interface Thing {
  readonly data: unknown;
}

/** An operation of no contract, that reads whatever it gets. */
export function operationNamed(name: `GET /${string}`): Endpoint<Thing> {
  return {
    name,
    coordinate: 'Query.things',
    path: name.slice('GET '.length),
    accept: 'application/json',
    parameters: [{ argument: ['q'], name: 'q' }],
    read: (body) => body as Thing,
  };
}

/** The call `GET /things?q=…`. */
export function thing(q: number | string = 0, name: `GET /${string}` = 'GET /things'): Call<Thing> {
  return createCall(operationNamed(name), { q });
}

/** A caller with all the time in the world. */
export function callerOf(key: string, more: Partial<Caller> = {}): Caller {
  return {
    key,
    identity: `hash of ${key}`,
    request: { requestId: `request of ${key}`, upstreamCalls: 0 },
    signal: new AbortController().signal,
    deadline: Infinity,
    ...more,
  };
}

/** What a client reads of the answer to a call. */
export async function get<Body>(client: Client, call: Call<Body>, caller: Caller): Promise<Body> {
  return (await client.fetch(call, caller)).read();
}
