import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { canariesIn } from '../fuzz/canary.ts';
import type { Heard } from '../hostile/connection.ts';
import type { WireResponse } from '../hostile/response-parser.ts';
import { madeUpKey, strangersKey } from './key.ts';
import { faultOfMethod } from './method-fault.ts';
import type { StrangerRequest } from './wire.ts';

/** A promise that was broken, and how. Faults of one promise and kind are one finding. */
export interface Fault {
  readonly promise: string;
  readonly detail: string;
}

/** The largest response to a stranger, in bytes: docs/reliability.md. */
export const mostBytes = 262_144;

/** Every code that an error may have: interface, "Errors", and the codes of requests that are refused as a whole. */
const codes: ReadonlySet<unknown> = new Set(
  `BAD_USER_INPUT UNAUTHENTICATED FORBIDDEN NOT_FOUND UNPROCESSABLE_ENTITY RATE_LIMITED UPSTREAM_ERROR UPSTREAM_TIMEOUT
  UPSTREAM_UNAVAILABLE UPSTREAM_BAD_RESPONSE QUERY_TOO_COMPLEX GRAPHQL_PARSE_FAILED GRAPHQL_VALIDATION_FAILED
  OPERATION_RESOLUTION_FAILURE BAD_REQUEST REQUEST_ENTITY_TOO_LARGE PERSISTED_QUERY_NOT_FOUND PERSISTED_QUERY_NOT_SUPPORTED
  PERSISTED_QUERY_ID_REQUIRED`.split(/\s+/),
);

const mostErrors = 100;
// In characters: a message with its quotes, and one with the upstream's text.
const mostMessage = 600;
const mostOfUpstream = 1_200;
// Beyond the deadline of any request: a client without a response by then was forgotten.
export const forgottenMs = 15_000;

/** Statuses without a body: 304, and those that Node sends for bytes that are no request. */
const bareStatuses: ReadonlySet<number> = new Set([304, 400, 408, 413, 417, 431]);

/** Internals of the process: a stack, plain or in JSON, a path, an address. */
export const inside = /(?:\n|\\n) {4}at |node:internal|\/node_modules\/|file:\/\/\/|127\.0\.0\.1:\d/;

/** The faults of what a stranger received; none where all promises were kept. */
export function faultsOf(request: StrangerRequest, heard: Heard): readonly Fault[] {
  const faults = heard.responses.flatMap((response) => faultsOfResponse(request, response));
  // A connection that is closed while something is still being sent takes what was not read in time with it.
  const isLost = heard.end === 'closed' && (request.reading !== 'all' || isRefusedUnread(request));
  if (isOwedAnAnswer(request) && !isLost && heard.responses.length === 0 && heard.begun === null)
    faults.push({
      promise: 'every request is answered',
      detail: `${heard.end} after ${Math.round(heard.milliseconds)} ms`,
    });
  if (heard.unread.length > 0 && heard.begun === null && request.reading === 'all')
    faults.push({ promise: 'every response is HTTP', detail: heard.unread.subarray(0, 100).toString('latin1') });
  return faults;
}

/** Whether a request was whole, and its client waits for the response. */
export function isOwedAnAnswer({ sending, reading, framing, dialect }: StrangerRequest): boolean {
  const isWhole = sending !== 'half' && ['length', 'chunked', 'none'].includes(framing) && dialect === 'HTTP/1.1';
  return isWhole && (reading === 'all' || reading === 'slowly');
}

// In characters: Node closes the connection at once for a larger head, whatever is on its way.
const largeHead = 10_000;

/** Whether a request is likely to be refused before it is read. */
function isRefusedUnread({ headers, target, authorization }: StrangerRequest): boolean {
  const lengths = headers.map(([name, value]) => name.length + value.length + 4);
  return lengths.reduce((sum, length) => sum + length, target.length + (authorization?.length ?? 0)) > largeHead;
}

function faultsOfResponse(request: StrangerRequest, response: WireResponse): Fault[] {
  const { status, headers, isWhole } = response;
  const body = request.method === 'HEAD' || !isWhole ? response.body : decoded(response);
  if (body === null)
    return [{ promise: 'every response is in its coding', detail: headers.get('content-encoding') ?? '' }];
  const text = body.toString('utf8');
  const isFixed = isPage(headers) && (status < 400 || status === 404);
  const faults = isFixed ? [] : leaksIn(request, response, text);
  const ofMethod = faultOfMethod(request, response);
  if (ofMethod !== null) faults.push({ promise: 'a method that is not taken is 405', detail: ofMethod });
  if (status >= 500) faults.push({ promise: 'the gateway does not fail', detail: `${status} ${text.slice(0, 300)}` });
  if (!isWhole || request.method === 'HEAD') return faults;
  if (body.length > mostBytes && request.standing !== 'good key' && !isFixed)
    faults.push({ promise: `a stranger gets at most ${mostBytes} bytes`, detail: `${body.length} bytes` });
  if (body.length === 0 && (bareStatuses.has(status) || status < 300)) return faults;
  if (isFixed) return faults;
  const contentType = headers.get('content-type') ?? '';
  if (isMessage(request, contentType, text)) return [...faults, ...messageFaults(contentType, text)];
  return [...faults, ...shapeFaults(contentType, text, status)];
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  identity: (bytes) => bytes,
};

/** The body without its coding; null where it is not in it. */
function decoded({ headers, body }: WireResponse): Buffer | null {
  // A response without a body, such as 304, may name its coding.
  if (body.length === 0) return body;
  try {
    return decoders[headers.get('content-encoding') ?? 'identity']?.(body) ?? null;
  } catch {
    return null;
  }
}

/** Whether a response is one of the tool server: requests that it does not take end as others do, with errors of GraphQL. */
function isMessage({ target }: StrangerRequest, contentType: string, text: string): boolean {
  return target.startsWith('/mcp') && (contentType.startsWith('text/event-stream') || text.includes('"jsonrpc"'));
}

/** A message has a result or an error of JSON-RPC, and the last message of a stream has. */
function messageFaults(contentType: string, text: string): readonly Fault[] {
  const messages = resultsIn(contentType, text) ?? [];
  const { jsonrpc, result, error } = (messages.at(-1) ?? {}) as Readonly<Record<string, unknown>>;
  const isSound = jsonrpc === '2.0' && (result === undefined) !== (error === undefined);
  return isSound
    ? []
    : [{ promise: 'every response of the tool server is one of JSON-RPC', detail: text.slice(0, 300) }];
}

/** Whether a response is a page, the same for everybody. */
function isPage(headers: WireResponse['headers']): boolean {
  return /^(?:text\/html|text\/plain|text\/markdown|text\/csv|application\/graphql;|image\/)/.test(
    headers.get('content-type') ?? '',
  );
}

function leaksIn({ authorization }: StrangerRequest, { headers }: WireResponse, text: string): Fault[] {
  const all = `${text}\n${[...headers].map((header) => header.join(': ')).join('\n')}`;
  const faults: Fault[] = [];
  const stack = inside.exec(all);
  if (stack !== null) faults.push({ promise: 'no response reveals the inside', detail: around(all, stack.index) });
  for (const key of [madeUpKey, strangersKey].filter((name) => authorization?.includes(name) === true)) {
    const leaks = all.length < 100_000 ? canariesIn(all, key) : all.includes(key) ? ['in a long answer'] : [];
    for (const leak of leaks.slice(0, 1)) faults.push({ promise: 'no response reveals a key', detail: leak });
  }
  return faults;
}

function around(text: string, at: number): string {
  return text.slice(Math.max(0, at - 80), at + 120);
}

/** Whether what came is of the interface's shape: whole, in pieces or as events. */
export function shapeFaults(contentType: string, text: string, status: number): readonly Fault[] {
  const shape = (detail: string): Fault => ({ promise: "every response has the interface's shape", detail });
  try {
    const results = resultsIn(contentType, text);
    if (results === null) return [shape(`${status} of type "${contentType}": ${text.slice(0, 200)}`)];
    return results.flatMap((result) => resultFaults(result).map((detail) => shape(`${detail}: ${text.slice(0, 300)}`)));
  } catch (error) {
    return [shape(`${(error as Error).message}: ${text.slice(0, 200)}`)];
  }
}

/** The results in a response, null where its type is none of the interface's; throws where it is no JSON. */
export function resultsIn(contentType: string, text: string): readonly unknown[] | null {
  if (/^application\/(?:graphql-response\+)?json/.test(contentType)) return [JSON.parse(text)];
  if (contentType.startsWith('multipart/mixed')) {
    const parts = text.split(/\r\n---(?:--)?\r\n/).filter((part) => part.includes('\r\n\r\n'));
    return parts.map((part) => JSON.parse(part.slice(part.indexOf('\r\n\r\n') + 4)));
  }
  if (!contentType.startsWith('text/event-stream')) return null;
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));
}

/** A GraphQL result, or a piece of one. */
export interface Result {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message?: unknown; readonly extensions?: Readonly<Record<string, unknown>> }[];
  readonly incremental?: readonly Result[];
}

/** The faults of a result, or of a piece of one. */
export function resultFaults(result: unknown): readonly string[] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return ['it is no object'];
  const { errors = [], incremental = [] } = result as Result;
  const faults = incremental.flatMap(resultFaults);
  if (errors.length > mostErrors) faults.push(`it has ${errors.length} errors`);
  for (const { message, extensions = {} } of errors) {
    if (!codes.has(extensions['code'])) faults.push(`it has the code ${String(extensions['code'])}`);
    if (
      typeof message !== 'string' ||
      message === '' ||
      typeof extensions['requestId'] !== 'string' ||
      typeof extensions['retryable'] !== 'boolean'
    )
      faults.push('it has an error that is not whole');
    const isOfUpstream = extensions['upstream'] !== undefined;
    if (String(message).length > (isOfUpstream ? mostOfUpstream : mostMessage))
      faults.push(`it has a message of ${String(message).length} characters`);
  }
  return faults;
}

/** Equal for faults that are the same finding: the promise, and the beginning of its detail without numbers. */
export function signatureOf({ promise, detail }: Fault): string {
  const [kind = ''] = detail.split(':');
  return `${promise}: ${kind.slice(0, 80).replace(/\d+/g, '0')}`;
}
