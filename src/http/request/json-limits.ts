import { bodyDepth, smallBody, bodyValues } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Returns QUERY_TOO_COMPLEX for a body of JSON that is nested too deeply or holds too many values; null where it may be parsed.
 * Parsing such a body takes tens of milliseconds, in which no other request is served. A small body is always parsed.
 */
export function excessOfBody(body: Buffer): GatewayError | null {
  return body.length <= smallBody ? null : excessOfJson(body);
}

/** Returns the fault of a body of any length: what is parsed may be read by recursion, or written again. */
export function excessOfJson(body: Buffer, mostValues = bodyValues): GatewayError | null {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfText(body, at);
    else if (byte === comma) values++;
    else if (byte === openList || byte === openObject) {
      values++;
      depth++;
      if (depth > bodyDepth) return tooLarge('is nested deeper', 'levels', bodyDepth, depth);
    } else if (byte === closeList || byte === closeObject) depth--;
    if (values > mostValues) return tooLarge('holds more', 'values', mostValues, values);
  }
  return null;
}

/** Returns the position of the quotation mark that ends the text at `open`; the length of the body, or more, where there is none. */
export function endOfText(body: Buffer, open: number): number {
  let at = open + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

/** Creates the error of a body. Counting stops at the limit, so `actual` is the count by then. */
export function tooLarge(what: string, counted: string, limit: number, actual: number): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `The body of the request ${what} than ${limit} ${counted}. Ask for less at a time.`,
    excess: { limit, actual },
  });
}
