import { GatewayError } from '../errors.ts';
import { isJsonObject, numberOf, parseJson, recordIn } from './json-body.ts';
import type { ListBody } from './operation.ts';
import type { Answer } from './transport.ts';

/** The `data` object of an answer; throws UPSTREAM_BAD_RESPONSE. */
export function readObject<Data>(answer: Answer): Data {
  const data = recordIn(readBody(answer)['data']);
  if (data === undefined) throw badResponse('an object "data"');
  return data as Data;
}

/** The rows of a list and what its `meta` says, null where it says nothing usable; throws UPSTREAM_BAD_RESPONSE. */
export function readList<Row>(answer: Answer): ListBody<Row> {
  const { data, meta } = readBody(answer);
  if (!Array.isArray(data)) throw badResponse('a list "data"');
  const told = isJsonObject(meta) ? meta : {};
  const pageSize = count(told['page_size']);
  return {
    rows: data,
    meta: { totalResults: count(told['total_results']), pageSize: pageSize === 0 ? null : pageSize },
  };
}

// A page from the edge in front of the API may come under any media type.
const page = /^\s*<(?:!doctype\s+)?html\b/i;

/** The text of a CSV report; throws UPSTREAM_BAD_RESPONSE where the upstream sent a page or a JSON document instead. */
export function readCsv(answer: Answer): string {
  const text = answer.body.toString('utf8');
  if (!isCsv(answer) || page.test(text)) throw badResponse('CSV text');
  return text;
}

/** Whether an answer can be a CSV report: the contract does not show its media type, so only what it cannot be is refused. */
export function isCsv({ headers }: Pick<Answer, 'headers'>): boolean {
  return !/\b(?:html|json|xml)\b/i.test(String(headers['content-type'] ?? ''));
}

/** UPSTREAM_BAD_RESPONSE that says what was expected and nothing of what came. */
export function badResponse(expected: string, cause?: unknown): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream's answer has not the expected shape: ${expected} was expected.`,
    cause,
  });
}

function readBody(answer: Answer): Readonly<Record<string, unknown>> {
  const body = parse(answer.body.toString('utf8'));
  if (!isJsonObject(body)) throw badResponse('a JSON object');
  return body;
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Not even as a cause: a SyntaxError quotes the text that it failed on.
    throw badResponse('JSON');
  }
}

// The schema counts in integers of 32 bits; a list beyond that has no length that could be told.
const mostRows = 2 ** 31 - 1;

function count(value: unknown): number | null {
  const number = numberOf(value);
  return number !== undefined && Number.isInteger(number) && number >= 0 && number <= mostRows ? number : null;
}
