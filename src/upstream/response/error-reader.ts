import { errorsPerResponse } from '../../bounds.ts';
import {
  GatewayErrors,
  type ErrorCode,
  GatewayError,
  type UpstreamFault,
  type ArgumentPath,
  type ErrorDetails,
} from '../../errors.ts';
import { isJsonObject, numberOf, withoutByteOrderMark } from '../../json.ts';
import { type Call, sourceTokens } from '../call.ts';
import { withoutKey } from '../key-redaction.ts';
import { errorsIn, type ReportedErrors } from './body-reader.ts';
import { waitIn } from './rate-limit-fields.ts';
import type { WireResponse } from './wire-response.ts';

/** Characters of one text of the API's errors that are shown: its longest are some sentences. */
const upstreamTextLength = 1_000;

// A map, because the upstream chooses the key: an object would know a code named "constructor".
const codes: ReadonlyMap<string, ErrorCode> = new Map([
  ['10007', 'UPSTREAM_ERROR'],
  ['10009', 'UNAUTHENTICATED'],
  ['10010', 'FORBIDDEN'],
  ['10011', 'RATE_LIMITED'],
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

/** What is known of a failed response before its body is looked at. */
interface Failure {
  readonly call: Call<unknown>;
  readonly key: string;
  readonly status: number;
  readonly response: WireResponse;
}

/** The failure that a response stands for: what its body reports, or else what its status says. */
export function errorOf(response: WireResponse, call: Call<unknown>, key: string): GatewayError | GatewayErrors {
  return reportedErrorOf(response, call, key) ?? gatewayError(failureOf(response, call, key), {});
}

/**
 * The failure that a response's body reports; null where it reports none. There are two dialects (REST contract, "Errors"): the
 * `errors` envelope, with one error for each entry, and the missions' `detail` list. A known code decides what the failure is;
 * otherwise the status does. Texts are cut to a bearable length, and the caller's key is taken out of them.
 */
export function reportedErrorOf(
  response: WireResponse,
  call: Call<unknown>,
  key: string,
): GatewayError | GatewayErrors | null {
  const { dialect, entries } = reportedIn(response);
  if (entries.length === 0) return null;
  const failure = failureOf(response, call, key);
  const errors = entries
    .slice(0, errorsPerResponse)
    .map((entry) => (dialect === 'errors' ? envelopeError(entry, failure) : validationError(entry, failure)));
  return errors.length === 1 ? (errors[0] as GatewayError) : new GatewayErrors(errors, entries.length - errors.length);
}

function failureOf(response: WireResponse, call: Call<unknown>, key: string): Failure {
  return { call, key, status: response.status, response };
}

function reportedIn(response: WireResponse): ReportedErrors {
  const value = jsonOrNull(response);
  return errorsIn(isJsonObject(value) ? value : {});
}

function jsonOrNull({ body, json }: WireResponse): unknown {
  try {
    return json === undefined ? JSON.parse(withoutByteOrderMark(body.text)) : json();
  } catch {
    return null;
  }
}

const errorCode = /^\d{5}$/;

/** An entry that is no object is a code or a text. */
function envelopeError(given: unknown, failure: Failure): GatewayError {
  const plain = numberOf(given) ?? given;
  const entry = isJsonObject(given) ? given : { [errorCode.test(String(plain)) ? 'code' : 'detail']: plain };
  const source = isJsonObject(entry['source']) ? entry['source'] : {};
  const meta = isJsonObject(entry['meta']) ? entry['meta'] : {};
  const fields = {
    code: textOf(entry['code'], failure.key),
    title: textOf(entry['title'], failure.key),
    detail: textOf(entry['detail'], failure.key),
    parameter: textOf(source['parameter'], failure.key),
    pointer: textOf(source['pointer'], failure.key),
    url: textOf(meta['url'], failure.key),
  };
  return gatewayError(failure, fields, codes.get(fields.code ?? ''));
}

function validationError(given: unknown, failure: Failure): GatewayError {
  const entry = isJsonObject(given) ? given : {};
  const { key } = failure;
  const fields = { title: textOf(entry['type'], key), detail: textOf(entry['msg'], key), loc: entry['loc'] };
  return gatewayError(failure, fields, 'BAD_USER_INPUT');
}

/** The fields of one reported error: texts that are shown, and where the fault lies. */
interface Fields extends SourceFields {
  readonly code?: string | undefined;
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly url?: string | undefined;
}

function gatewayError({ call, status, response }: Failure, fields: Fields, known?: ErrorCode): GatewayError {
  const code = known ?? statuses[status] ?? 'UPSTREAM_ERROR';
  const message = fields.detail ?? fields.title;
  const wait = code === 'RATE_LIMITED' ? waitIn(response, Date.now, true) : undefined;
  const details = {
    ...(message !== undefined && { message }),
    ...(code === 'UPSTREAM_ERROR' && { retryable: status >= 500 }),
    ...(wait !== undefined && { retryAfterSeconds: Math.ceil(wait / 1000) }),
    upstream: faultOf(call, status, fields),
  };
  return new ReportedError(code, details, sourcesIn(fields), call);
}

function faultOf(call: Call<unknown>, status: number, fields: Fields): UpstreamFault {
  const { code, title, detail, parameter, pointer, url } = fields;
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

function textOf(value: unknown, key: string): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return undefined;
  return withoutKey(text.toWellFormed(), key, upstreamTextLength);
}

/** The places to which an error's body points, by their names; the most reliable comes first. */
type Sources = readonly (readonly string[])[];

/** Where an error's body says that the fault lies. */
interface SourceFields {
  readonly parameter?: string | undefined;
  readonly pointer?: string | undefined;
  /** The `loc` of the missions' dialect. */
  readonly loc?: unknown;
}

/**
 * An error that a response's body reports. It keeps its sources: callers who share a call may have given different arguments
 * for the same parameter.
 */
class ReportedError extends GatewayError {
  readonly #sources: Sources;

  constructor(code: ErrorCode, details: Omit<ErrorDetails, 'argument'>, sources: Sources, call: Call<unknown>) {
    const argument = argumentOf(call, sources);
    super(code, { ...details, ...(argument !== undefined && { argument }) });
    this.#sources = sources;
  }

  /** The same error with the argument of another call that shares the response. */
  forCall(call: Call<unknown>): GatewayError {
    return this.withArgument(argumentOf(call, this.#sources));
  }
}

/** A failure as it is for one of the calls that share its response. */
export function failureFor(call: Call<unknown>, failure: unknown): unknown {
  if (failure instanceof ReportedError) return failure.forCall(call);
  if (!(failure instanceof GatewayErrors)) return failure;
  const errors = failure.errors.map((error) => (error instanceof ReportedError ? error.forCall(call) : error));
  return new GatewayErrors(errors, failure.more);
}

/** The argument to which the first source that can be traced points. */
function argumentOf(call: Call<unknown>, sources: Sources): ArgumentPath | undefined {
  return sources.map(call.traceArgument).find((argument) => argument !== undefined);
}

/** The sources in the body of one error. */
function sourcesIn({ parameter, pointer, loc }: SourceFields): Sources {
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
