import type { BodyChunks } from '../body-chunks.ts';
import type { CancelSignal } from '../cancellation.ts';
import { badArgument, type ArgumentPath, type Violation } from '../errors.ts';
import type { Span } from '../telemetry/tracing.ts';
import { isReadOtherwise, valueAt, type Arguments, type Endpoint, type Parameter } from './endpoint.ts';
import { withoutCredential } from './credential.ts';
import { type RateLimit, tighterOf } from './response/rate-limit-fields.ts';
import type { ResponseHead, WireResponse } from './response/wire-response.ts';

/** The page of a list to ask for, and the arguments to blame if the upstream refuses its number or its size. */
export interface PageRequest {
  /** From 1. */
  readonly number: number;
  readonly size: number;
  readonly numberArgument: ArgumentPath | undefined;
  readonly sizeArgument: ArgumentPath | undefined;
}

/** One request to be made. Calls with equal endpoints, paths and query strings are the same call. */
export interface Call<Body> {
  readonly endpoint: Endpoint<Body>;
  /** Percent-encoded once, without the question mark; empty without parameters. */
  readonly queryString: string;
  /** The path, its identifier filled in, with the query string, relative to the version-2 root. */
  readonly target: string;
  /** Whether the answer does not change any more. */
  readonly isFinal: boolean;
  /** The argument that an error's source points at; undefined where that is unknown. */
  readonly traceArgument: (source: readonly string[]) => ArgumentPath | undefined;
}

/** The course of one call, which the client fills in. */
export interface CallTrace {
  /**
   * Where the response came from. `own`: sent for this request; `shared`: joined to an equal call under way; `kept`: a report that was read
   * before; null: not made at all, as without a key or behind an open breaker.
   */
  origin: 'own' | 'shared' | 'kept' | null;
  /** Null without a response. */
  status: number | null;
  /** Of the response's body; null where there was none, or it failed. */
  bytes: number | null;
  /** How many times the call was sent, where it was sent for this request. */
  attempts: number;
}

/** The trace of a call that has not been made yet. */
export function newCallTrace(): CallTrace {
  return { origin: null, status: null, bytes: null, attempts: 0 };
}

/**
 * Turns arguments into a call (REST contract, "Endpoints": deepObject style). Absent and null arguments, and empty texts of a filter, are
 * not sent. `now` is the API's present.
 * An error never points at the gateway's own arguments. Throws BAD_USER_INPUT for text that no URL can carry.
 */
export function createCall<Body>(
  endpoint: Endpoint<Body>,
  args: Arguments,
  page?: PageRequest,
  ownArguments: readonly ArgumentPath[] = [],
  now = Date.now(),
): Call<Body> {
  let queryString = '';
  const add = (name: string, value: string): void => {
    queryString += queryString === '' ? `${name}=${value}` : `&${name}=${value}`;
  };
  for (const name in endpoint.constants) add(name, encodeURIComponent(endpoint.constants[name] ?? ''));
  for (const parameter of endpoint.parameters) {
    const value = givenAt(args, parameter.argument);
    if (value != null) add(parameter.name, encode(value, parameter));
  }
  if (page !== undefined) add('page[number]', `${page.number}&page[size]=${page.size}`);
  const path = pathOf(endpoint, args);
  return {
    endpoint,
    queryString,
    target: queryString === '' ? path : `${path}?${queryString}`,
    isFinal: endpoint.isFinal?.(args, now) ?? false,
    traceArgument: (source) =>
      pointsAtIdentifier(source, endpoint.idNames ?? [])
        ? ['id']
        : traceArgument(source, parametersOf(endpoint, page), args, ownArguments),
  };
}

/** What an argument asks for; null or undefined for nothing: an empty text in a filter asks for that, alone or as an item. */
export function givenAt(args: Arguments, path: ArgumentPath): unknown {
  const value = valueAt(args, path);
  if (path[0] !== 'filter') return value;
  if (Array.isArray(value) && value.includes('')) {
    const items = value.filter((item) => item !== '');
    return items.length === 0 ? null : items;
  }
  return value === '' ? null : value;
}

function pathOf({ path }: Endpoint<unknown>, args: Arguments): string {
  return path.includes('{id}') ? path.replace('{id}', () => encodeText(String(args['id']), ['id'])) : path;
}

function encode(value: unknown, { argument, format, isOne }: Parameter): string {
  if (format !== undefined) return encodeURIComponent(format(value as never));
  if (isOne === true && isReadOtherwise(String(value)))
    throw badArgument(
      argument,
      `${argument.join('.')} must be one value: the API reads a comma as "any of", and null as "none".`,
    );
  if (!Array.isArray(value)) return encodeText(String(value), argument);
  if (value.length === 0)
    throw badArgument(argument, `${argument.join('.')} must name at least one value; leave it out to ask for all.`);
  // The commas between the values are the list's own; a comma inside a value is percent-encoded.
  return value.map((item, index) => encodeText(String(item), [...argument, index])).join(',');
}

const reserved = /[^\w.~-]/;

function encodeText(text: string, argument: ArgumentPath): string {
  // To encode a date or an identifier costs twice as much as to see that nothing of it changes.
  if (!reserved.test(text)) return text;
  if (!text.isWellFormed())
    throw badArgument(argument, `${argument.join('.')} must be well-formed Unicode text, without lone surrogates.`);
  return encodeURIComponent(text);
}

function parametersOf(endpoint: Endpoint<unknown>, page: PageRequest | undefined): readonly Parameter[] {
  const ofPage = [
    { name: 'page[number]', argument: page?.numberArgument },
    { name: 'page[size]', argument: page?.sizeArgument },
  ];
  return [
    ...endpoint.parameters,
    ...ofPage.filter((parameter): parameter is Parameter => parameter.argument !== undefined),
  ];
}

/**
 * Matches an error's source (`["filter", "started_at", "gte"]`) with the declared parameters. An exact match wins, but given
 * parameters come before others: `filter[connection_name]` means `contains` if only that was sent. A source that names a group
 * (`filter`) points at the path that its given members share. A source that goes on behind a parameter
 * (`/filter/event_type/0`) points at that parameter. A source that names an undeclared member of a group points nowhere, and
 * so does one that may mean one of the gateway's `own` arguments.
 */
function traceArgument(
  source: readonly string[],
  parameters: readonly Parameter[],
  args: Arguments,
  own: readonly ArgumentPath[],
): ArgumentPath | undefined {
  const within = parameters.filter((parameter) => startsWith(sourceTokens(parameter.name), source));
  const given = within.filter((parameter) => givenAt(args, parameter.argument) != null);
  const exact = within.filter((parameter) => sourceTokens(parameter.name).length === source.length);
  const candidates = [exact.filter((parameter) => given.includes(parameter)), given, exact, within].find(
    (choice) => choice.length > 0,
  );
  if (candidates !== undefined) {
    const paths = candidates.map(({ argument }) => argument);
    return paths.some((path) => own.some((made) => made.join() === path.join())) ? undefined : paths.reduce(sharedPath);
  }
  const before = parameters.filter((parameter) => startsWith(source, sourceTokens(parameter.name)));
  const longest = Math.max(0, ...before.map((parameter) => sourceTokens(parameter.name).length));
  return longest > 0 ? traceArgument(source.slice(0, longest), parameters, args, own) : undefined;
}

/** `filter[outbound.voice_id][eq]` → `["filter", "outbound", "voice_id", "eq"]`. */
export function sourceTokens(parameter: string): readonly string[] {
  return parameter.split(/[[\].]+/).filter((token) => token !== '');
}

function startsWith(tokens: readonly string[], start: readonly string[]): boolean {
  return start.length > 0 && start.every((token, index) => tokens[index] === token);
}

function sharedPath(left: ArgumentPath, right: ArgumentPath): ArgumentPath {
  const end = left.findIndex((name, index) => name !== right[index]);
  return end < 0 ? left : left.slice(0, end);
}

/**
 * Whether an error's source (`["path", "mission_id"]`, `["id"]`) points at the one identifier in a call's path. The contract does not
 * name it: the upstream may have any of these names for it, and a source in the path always means it.
 */
function pointsAtIdentifier(source: readonly string[], names: readonly string[]): boolean {
  const [first = '', ...others] = source;
  return names.length > 0 && (first === 'path' || (others.length === 0 && names.includes(first)));
}

/** An operation, and what is noted of the responses to its calls. */
export interface CallingOperation {
  /** Of all bodies that have been read for it. */
  bytesRead: number;
  /** The tightest rate limit that the responses have told; null if none did. */
  rateLimit: RateLimit | null;
  /** Calls a function when it no longer needs a body. */
  hold(release: () => void): void;
}

/** The client of the gateway on whose behalf a call is made. */
export interface Caller {
  /** Aborts when the client has left, or its operation has taken too long. */
  readonly signal: CancelSignal;
  /** When the operation will have taken too long, by performance.now() in milliseconds; Infinity where nothing bounds it. */
  readonly deadline: number;
  /** The API key, which goes upstream and nowhere else; null where none of the right form was given: then nothing is called. */
  readonly key: string | null;
  /** The request that the calls are sent and counted for. */
  readonly request: { readonly requestId: string; upstreamCalls: number };
  /** Names the caller in state that requests share; reveals nothing of the key. */
  readonly identity: string;
  /** Runs for each promise that the upstream's responses break, where that is no error. */
  readonly noteViolation?: (violation: Violation) => void;
  /** The operation that the calls are made for; absent: bodies are not needed once read. */
  readonly operation?: CallingOperation | undefined;
  /** The span that the calls belong to; absent where there are no traces. */
  readonly span?: Span | undefined;
  /** Filled in by the client with the course of this one call. */
  readonly trace?: CallTrace;
}

/** The answer to a call. It is read once for all who ask, when somebody needs what it holds. */
export interface Fetched<Body> {
  /** Null where it is a report that has been read before. */
  readonly bytes: BodyChunks | null;
  /** The body as its endpoint reads it; throws UPSTREAM_BAD_RESPONSE, or the failures that it reports. */
  read(): Promise<Body>;
  /** Has it asked for again, where it is kept: its reader has found it wrong. */
  forget(): void;
}

/** A call on its way upstream: what goes over the wire, for whom, and what has come of it. */
export class Sending {
  readonly call: Call<unknown>;
  /** The first of all callers who wait for the response. */
  readonly caller: Caller;
  readonly key: string;
  readonly identity: string;
  headers: Readonly<Record<string, string>>;
  readonly signal: CancelSignal;
  /** The latest deadline of all who wait for the response. */
  deadline: number;
  /** Whether the body is handed over as it comes, and is under way long after the response has begun. */
  readonly isStreamed: boolean;
  /** How many times the call has been sent. */
  attempts = 0;
  /** What the last response told of the caller's rate limit; null where it told nothing, or has not come. */
  rateLimit: RateLimit | null = null;
  /** The whole response; null until it has come. */
  response: WireResponse | null = null;

  /** Throws UNAUTHENTICATED for a caller without a key. */
  constructor(call: Call<unknown>, caller: Caller, signal: CancelSignal, isStreamed: boolean) {
    const { key } = caller;
    if (key === null) throw withoutCredential();
    this.call = call;
    this.caller = caller;
    this.key = key;
    this.identity = caller.identity;
    this.headers = {
      authorization: `Bearer ${key}`,
      accept: call.endpoint.accept,
      'accept-encoding': 'identity',
      'user-agent': 'switchboard',
      'x-request-id': caller.request.requestId,
    };
    this.signal = signal;
    this.deadline = caller.deadline;
    this.isStreamed = isStreamed;
  }

  /** Notes for one who waited what has come of the call. The body of a failure is of no use to it. */
  noteFor(caller: Caller, hasFailed: boolean): void {
    const { operation, trace } = caller;
    const { response, rateLimit } = this;
    if (rateLimit !== null && operation !== undefined) operation.rateLimit = tighterOf(operation.rateLimit, rateLimit);
    if (response === null) return;
    const { status, body, hold } = response;
    if (trace !== undefined) Object.assign(trace, { status, bytes: hasFailed ? null : body.length });
    if (hasFailed) return;
    if (operation !== undefined) operation.bytesRead += body.length;
    hold?.shareWith(caller);
  }
}

/** Sends a call through the stages that are left, and the transport. */
export type Send<A> = (sending: Sending) => Promise<A>;

/** One concern around every call: it may look, wait, refuse or try again. The first in the list is the outermost. */
export type Stage = <A extends ResponseHead>(next: Send<A>) => Send<A>;
