import { errorsPerResponse, upstreamTextLength } from '../../bounds.ts';
import { GatewayErrors, type ErrorCode, type GatewayError, type UpstreamFault } from '../../errors.ts';
import type { Call } from '../call.ts';
import { isJsonObject, parseExactly } from '../../json.ts';
import { withoutKey } from '../key-redaction/redaction.ts';
import { ReportedError, sourcesIn, type SourceFields } from './reported-error.ts';
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

/** What is known of a failed response before its body is looked at. */
interface Failure {
  readonly call: Call<unknown>;
  readonly key: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
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
  const failure = failureOf(response, call, key);
  const entries = entriesOf(response);
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

function entriesOf(response: WireResponse): readonly Entry[] {
  const body = jsonOrNull(response);
  if (!isJsonObject(body)) return [];
  const dialect = Array.isArray(body['errors']) ? 'errors' : 'detail';
  const list = body[dialect];
  if (typeof list === 'string') return [{ dialect: 'errors', value: { detail: list } }];
  if (!Array.isArray(list)) return [];
  return list.filter(isJsonObject).map((value) => ({ dialect, value }));
}

function jsonOrNull({ body, json }: WireResponse): unknown {
  try {
    return json === undefined ? parseExactly(body.text) : json();
  } catch {
    return null;
  }
}

function envelopeError(entry: Entry['value'], failure: Failure): GatewayError {
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

function validationError(entry: Entry['value'], failure: Failure): GatewayError {
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

function gatewayError({ call, status, retryAfterSeconds }: Failure, fields: Fields, known?: ErrorCode): GatewayError {
  const code = known ?? statuses[status] ?? 'UPSTREAM_ERROR';
  const message = fields.detail ?? fields.title;
  const details = {
    ...(message !== undefined && { message }),
    ...(code === 'UPSTREAM_ERROR' && { retryable: status >= 500 }),
    ...(code === 'RATE_LIMITED' && retryAfterSeconds !== undefined && { retryAfterSeconds }),
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
  return withoutKey(text, key, upstreamTextLength);
}
