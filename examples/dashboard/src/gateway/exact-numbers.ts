import { parseExactly } from '../../../../client/src/index.ts';

/** A number in JSON text with more digits than a double is sure to hold. */
const long = /[:[,]\s*-?\d{16,}/;

/**
 * As `fetch`, but integers beyond 2^53 in a JSON response arrive as text: GraphQL clients parse by `JSON.parse`, which would
 * round those in free-form values such as a mission's metadata, and accept no other parser.
 */
export const fetchExactly: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const text = await response.text();
  const body = long.test(text) ? JSON.stringify(parseExactly(text, 'text')) : text;
  return new Response(body, { status: response.status, headers: response.headers });
};
