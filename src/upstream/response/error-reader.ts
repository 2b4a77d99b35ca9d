import { errorsPerResponse, upstreamTextLength } from '../../bounds.ts';
import { GatewayError, GatewayErrors, type ArgumentPath, type ErrorCode, type UpstreamFault } from '../../errors.ts';
import { sourceTokens, type Call } from '../call.ts';
import { isJsonObject, parseExactly } from '../../json.ts';
import { withoutKey } from '../redaction/redaction.ts';
import { retryAfterOf } from './retry-after.ts';
import type { WireResponse } from './wire-response.ts';

// A map, because the upstream chooses the key: an object would know a code named "constructor".
const codes: ReadonlyMap<string, ErrorCode> = new Map([
  ['10007', 'UPSTREAM_ERROR'],
  ['10009', 'UNAUTHENTICATED'],
  ['10010', 'FORBIDDEN'],
  ['10015', 'BAD_USER_INPUT'],
  ['10027', 'UNPROCESSABLE_ENTITY'],
]);

const statuses: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'RATE_LIMITED',
};

/** What is known of a failed answer before its body is looked at. */
interface Failure {
  readonly call: Call<unknown>;
  readonly key: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
}

/** The failure that an answer stands for: what its body reports, or else what its status says. */
export function errorOf(response: WireResponse, call: Call<unknown>, key: string): GatewayError | GatewayErrors {
  return reportOf(response, call, key) ?? gatewayError(failureOf(response, call, key), {});
}

/**
 * The failure that an answer's body reports, in either dialect (REST contract, "Errors"): the `errors` envelope, with one
 * error for each entry, or the missions' `detail` list; null where it reports none. The code decides where it is known, the
 * status otherwise. Texts are cut to a bearable length, and freed of the caller's key should the upstream echo it.
 */
export function reportOf(
  response: WireResponse,
  call: Call<unknown>,
  key: string,
): GatewayError | GatewayErrors | null {
  const failure = failureOf(response, call, key);
  const entries = entriesOf(response.body.toString('utf8'));
  const errors = entries
    .slice(0, errorsPerResponse)
    .map((entry) =>
      entry.dialect === 'errors' ? envelopeError(entry.value, failure) : validationError(entry.value, failure),
    );
  if (errors.length > 1) return new GatewayErrors(errors, entries.length - errors.length);
  return errors[0] ?? null;
}

function failureOf(response: WireResponse, call: Call<unknown>, key: string): Failure {
  return { call, key, status: response.status, retryAfterSeconds: retryAfterOf(response) };
}

interface Entry {
  readonly dialect: 'errors' | 'detail';
  readonly value: Readonly<Record<string, unknown>>;
}

function entriesOf(text: string): readonly Entry[] {
  const body = parseOrNull(text);
  if (!isJsonObject(body)) return [];
  const dialect = Array.isArray(body['errors']) ? 'errors' : 'detail';
  const list = body[dialect];
  if (typeof list === 'string') return [{ dialect: 'errors', value: { detail: list } }];
  if (!Array.isArray(list)) return [];
  return list.filter(isJsonObject).map((value) => ({ dialect, value }));
}

function parseOrNull(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return null;
  }
}

function envelopeError(entry: Entry['value'], failure: Failure): GatewayError {
  const source = isJsonObject(entry['source']) ? entry['source'] : {};
  const meta = isJsonObject(entry['meta']) ? entry['meta'] : {};
  const told = {
    code: textOf(entry['code'], failure.key),
    title: textOf(entry['title'], failure.key),
    detail: textOf(entry['detail'], failure.key),
    parameter: textOf(source['parameter'], failure.key),
    pointer: textOf(source['pointer'], failure.key),
    url: textOf(meta['url'], failure.key),
  };
  return gatewayError(failure, told, codes.get(told.code ?? ''));
}

function validationError(entry: Entry['value'], failure: Failure): GatewayError {
  const told = { title: textOf(entry['type'], failure.key), detail: textOf(entry['msg'], failure.key) };
  return gatewayError(failure, { ...told, loc: entry['loc'] }, 'BAD_USER_INPUT');
}

interface Told {
  readonly code?: string | undefined;
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly parameter?: string | undefined;
  readonly pointer?: string | undefined;
  readonly url?: string | undefined;
  readonly loc?: unknown;
}

function gatewayError({ call, status, retryAfterSeconds }: Failure, told: Told, known?: ErrorCode): GatewayError {
  const code = known ?? statuses[status] ?? 'UPSTREAM_ERROR';
  const message = told.detail ?? told.title;
  const sources = sourcesIn(told);
  const argument = argumentOf(call, sources);
  const error = new GatewayError(code, {
    ...(message !== undefined && { message }),
    ...(code === 'UPSTREAM_ERROR' && { retryable: status >= 500 }),
    ...(argument !== undefined && { argument }),
    ...(code === 'RATE_LIMITED' && retryAfterSeconds !== undefined && { retryAfterSeconds }),
    upstream: faultOf(call, status, told),
  });
  sourcesOf.set(error, sources);
  return error;
}

/** As an error's body has them, in the order in which they are believed. */
type Sources = readonly (readonly string[])[];

/** What each error points at: readers who share a call may have given different arguments for the same parameter. */
const sourcesOf = new WeakMap<GatewayError, Sources>();

/** A failure as it is for one of those who share its call: the argument is the one that this reader gave, if any. */
export function failureFor(call: Call<unknown>, failure: unknown): unknown {
  if (failure instanceof GatewayErrors)
    return new GatewayErrors(
      failure.errors.map((error) => errorFor(call, error)),
      failure.more,
    );
  return failure instanceof GatewayError ? errorFor(call, failure) : failure;
}

function errorFor(call: Call<unknown>, error: GatewayError): GatewayError {
  const sources = sourcesOf.get(error);
  return sources === undefined ? error : error.withArgument(argumentOf(call, sources));
}

function faultOf(call: Call<unknown>, status: number, told: Told): UpstreamFault {
  const { code, title, detail, parameter, pointer, url } = told;
  const source = { ...(parameter !== undefined && { parameter }), ...(pointer !== undefined && { pointer }) };
  return {
    operation: call.endpoint.name,
    status,
    ...(code !== undefined && { code }),
    ...(title !== undefined && { title }),
    ...(detail !== undefined && { detail }),
    ...((parameter !== undefined || pointer !== undefined) && { source }),
    ...(url !== undefined && { meta: { url } }),
  };
}

/** The argument that the first source that can be traced points at. */
function argumentOf(call: Call<unknown>, sources: Sources): ArgumentPath | undefined {
  return sources.map(call.traceArgument).find((argument) => argument !== undefined);
}

function sourcesIn({ parameter, pointer, loc }: Told): Sources {
  return [sourceTokens(percentDecoded(parameter ?? '')), pointerTokens(pointer ?? ''), locTokens(loc)];
}

/** RFC 6901: `/filter/connection_name~1x` → `["filter", "connection_name/x"]`; also as a URI fragment (section 6). */
function pointerTokens(pointer: string): readonly string[] {
  const plain = pointer.startsWith('#') ? percentDecoded(pointer.slice(1)) : pointer;
  const tokens = plain.split('/').slice(1);
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')).flatMap(sourceTokens);
}

/** `["query", "page[size]", 0]` → `["page", "size"]`. */
function locTokens(loc: unknown): readonly string[] {
  if (!Array.isArray(loc)) return [];
  const tokens = loc.filter((part) => typeof part === 'string').flatMap(sourceTokens);
  return tokens[0] === 'query' ? tokens.slice(1) : tokens;
}

function percentDecoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function textOf(value: unknown, key: string): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return undefined;
  return withoutKey(text, key, upstreamTextLength);
}
