import { longestList } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import { countOf, isJsonObject, recordIn, type JsonObject } from '../../json.ts';
import type { ListBody, ListMeta } from '../endpoint.ts';

/** The `data` object of a body; throws UPSTREAM_BAD_RESPONSE. */
export function readObject<Data>(body: unknown): Data {
  const data = recordIn(dataIn(body));
  if (data === undefined) throw badResponse('an object "data"');
  return data as Data;
}

/** The rows of a list, and the counts of its `meta`, null where these are no counts; throws UPSTREAM_BAD_RESPONSE. */
export function readList<Row>(body: unknown): ListBody<Row> {
  const data = dataIn(body);
  if (!Array.isArray(data)) throw badResponse('a list "data"');
  return { rows: data, meta: listMetaOf((body as JsonObject)['meta']) };
}

/** The counts of a `meta`; null where it has none. */
export function listMetaOf(meta: unknown): ListMeta {
  const counts = isJsonObject(meta) ? meta : {};
  return {
    totalResults: countOf(counts['total_results'], longestList),
    totalPages: countOf(counts['total_pages'], longestList),
    pageNumber: countOf(counts['page_number'], longestList),
    pageSize: countOf(counts['page_size'], longestList) || null,
  };
}

/** UPSTREAM_BAD_RESPONSE with what was expected, and nothing of what came. */
export function badResponse(expected: string, cause?: unknown): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream's answer has not the expected shape: ${expected} was expected.`,
    cause,
  });
}

function dataIn(body: unknown): unknown {
  if (!isJsonObject(body)) throw badResponse('a JSON object');
  if (errorsIn(body).entries.length > 0) throw badResponse('data without errors');
  return body['data'];
}

/** The members of a body that may report errors. */
export const errorMembers = ['errors', 'detail'] as const;

/** The errors that a body reports, in one of two dialects (REST contract, "Errors"). An entry may be any value. */
export interface ReportedErrors {
  readonly dialect: (typeof errorMembers)[number];
  readonly entries: readonly unknown[];
}

/**
 * The errors in a body: `errors` that hold something, of whatever form, or the missions' `detail`, which may also be a text if there are
 * no `data`.
 */
export function errorsIn({ errors, detail, data }: JsonObject): ReportedErrors {
  const entries = entriesOf(errors);
  if (entries.length > 0) return { dialect: 'errors', entries };
  if (typeof detail === 'string' && data === undefined) return { dialect: 'errors', entries: entriesOf(detail) };
  const isValidation = (entry: unknown): boolean =>
    isJsonObject(entry) && (data === undefined || 'msg' in entry || 'loc' in entry);
  return { dialect: 'detail', entries: Array.isArray(detail) ? detail.filter(isValidation) : [] };
}

function entriesOf(errors: unknown): readonly unknown[] {
  if (Array.isArray(errors)) return errors;
  const isNone = !errors || (isJsonObject(errors) && Object.keys(errors).length === 0);
  return isNone ? [] : [errors];
}
