import { longestList } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import { countOf, isJsonObject, parseExactly, recordIn, type JsonObject } from '../../json.ts';
import type { ListBody } from '../endpoint.ts';
import type { WireResponse } from './wire-response.ts';

type Parse = (text: string) => unknown;

/** The `data` object of a response; throws UPSTREAM_BAD_RESPONSE. Its numbers are doubles, which the schema's types need. */
export function readObject<Data>(response: WireResponse): Data {
  const { json } = response;
  return objectIn(isJsonObject(json) ? json : readBody(response, JSON.parse));
}

/** As `readObject`, for a record with free-form values: their numbers stay digit for digit. */
export function readExactObject<Data>(response: WireResponse): Data {
  return objectIn(readBody(response, parseExactly));
}

/** The rows of a list and the counts of its `meta`, null where these are no counts; throws UPSTREAM_BAD_RESPONSE. */
export function readList<Row>(response: WireResponse): ListBody<Row> {
  return listIn(readBody(response, JSON.parse));
}

/** As `readList`, for rows with free-form values: their numbers stay digit for digit. */
export function readExactList<Row>(response: WireResponse): ListBody<Row> {
  return listIn(readBody(response, parseExactly));
}

function objectIn<Data>(body: JsonObject): Data {
  const data = recordIn(body['data']);
  if (data === undefined) throw badResponse('an object "data"');
  return data as Data;
}

function listIn<Row>({ data, meta }: JsonObject): ListBody<Row> {
  if (!Array.isArray(data)) throw badResponse('a list "data"');
  const counts = isJsonObject(meta) ? meta : {};
  return {
    rows: data,
    meta: {
      totalResults: countOf(counts['total_results'], longestList),
      totalPages: countOf(counts['total_pages'], longestList),
      pageNumber: countOf(counts['page_number'], longestList),
      pageSize: countOf(counts['page_size'], longestList) || null,
    },
  };
}

/** UPSTREAM_BAD_RESPONSE with what was expected, and nothing of what came. */
export function badResponse(expected: string, cause?: unknown): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream's answer has not the expected shape: ${expected} was expected.`,
    cause,
  });
}

function readBody({ body }: WireResponse, parse: Parse): JsonObject {
  const value = parsed(body.text, parse);
  if (!isJsonObject(value)) throw badResponse('a JSON object');
  return value;
}

function parsed(text: string, parse: Parse): unknown {
  try {
    return parse(text);
  } catch {
    // Not even as a cause: a SyntaxError quotes the text that it failed on.
    throw badResponse('JSON');
  }
}
