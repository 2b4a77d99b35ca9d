import { GatewayError, GatewayErrors, type ErrorCode, type UpstreamFault } from '../errors.ts';
import { sourceTokens, type Call } from './call.ts';
import { withoutKey } from './credential.ts';
import { isJsonObject, parseJson } from './json-body.ts';
import type { Answer } from './transport.ts';

const longestText = 1_000;
const mostErrors = 50;

const codes: Readonly<Record<string, ErrorCode>> = {
  '10007': 'UPSTREAM_ERROR',
  '10009': 'UNAUTHENTICATED',
  '10010': 'FORBIDDEN',
  '10015': 'BAD_USER_INPUT',
  '10027': 'UNPROCESSABLE_ENTITY',
};

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

/**
 * The failure that an answer reports, in either dialect (REST contract, "Errors"): the `errors` envelope, with one error
 * for each entry, or the missions' `detail` list. The code decides where it is known, the status otherwise. Texts are cut
 * to a bearable length, and freed of the caller's key should the upstream echo it.
 */
export function errorOf(answer: Answer, call: Call<unknown>, key: string): GatewayError | GatewayErrors {
  const failure: Failure = { call, key, status: answer.status, retryAfterSeconds: retryAfterOf(answer) };
  const errors = entriesOf(answer.body.toString('utf8'))
    .slice(0, mostErrors)
    .map((entry) =>
      entry.dialect === 'errors' ? envelopeError(entry.value, failure) : validationError(entry.value, failure),
    );
  if (errors.length > 1) return new GatewayErrors(errors);
  return errors[0] ?? gatewayError(failure, {});
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
    return parseJson(text);
  } catch {
    return null;
  }
}

function envelopeError(entry: Entry['value'], failure: Failure): GatewayError {
  const source = isJsonObject(entry['source']) ? entry['source'] : {};
  const meta = isJsonObject(entry['meta']) ? entry['meta'] : {};
  const told = {
    code: text(entry['code'], failure.key),
    title: text(entry['title'], failure.key),
    detail: text(entry['detail'], failure.key),
    parameter: text(source['parameter'], failure.key),
    pointer: text(source['pointer'], failure.key),
    url: text(meta['url'], failure.key),
  };
  return gatewayError(failure, told, told.code === undefined ? undefined : codes[told.code]);
}

function validationError(entry: Entry['value'], failure: Failure): GatewayError {
  const told = { title: text(entry['type'], failure.key), detail: text(entry['msg'], failure.key) };
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
  const argument = argumentOf(call, told);
  return new GatewayError(code, {
    ...(message !== undefined && { message }),
    ...(code === 'UPSTREAM_ERROR' && { retryable: status >= 500 }),
    ...(argument !== undefined && { argument }),
    ...(code === 'RATE_LIMITED' && retryAfterSeconds !== undefined && { retryAfterSeconds }),
    upstream: faultOf(call, status, told),
  });
}

function faultOf(call: Call<unknown>, status: number, told: Told): UpstreamFault {
  const { code, title, detail, parameter, pointer, url } = told;
  const source = { ...(parameter !== undefined && { parameter }), ...(pointer !== undefined && { pointer }) };
  return {
    operation: call.operation.name,
    status,
    ...(code !== undefined && { code }),
    ...(title !== undefined && { title }),
    ...(detail !== undefined && { detail }),
    ...((parameter !== undefined || pointer !== undefined) && { source }),
    ...(url !== undefined && { meta: { url } }),
  };
}

function argumentOf(call: Call<unknown>, { parameter, pointer, loc }: Told) {
  if (parameter !== undefined) return call.traceArgument(sourceTokens(parameter));
  if (pointer !== undefined) return call.traceArgument(pointerTokens(pointer));
  if (!Array.isArray(loc)) return undefined;
  const tokens = loc.filter((part) => typeof part === 'string').flatMap(sourceTokens);
  return call.traceArgument(tokens[0] === 'query' ? tokens.slice(1) : tokens);
}

/** RFC 6901: `/filter/connection_name~1x` → `["filter", "connection_name/x"]`; the leading `#` of a URI fragment is allowed. */
function pointerTokens(pointer: string): readonly string[] {
  const tokens = pointer.replace(/^#/, '').split('/').slice(1);
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')).flatMap(sourceTokens);
}

function text(value: unknown, key: string): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  return withoutKey(value, key).slice(0, longestText);
}

/** RFC 9110, section 10.2.3: seconds, or a date from which the seconds until then follow. */
function retryAfterOf({ headers }: Answer): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const milliseconds = Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000));
}
