import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../../json.ts';
import { membersOfBody } from './body-members.ts';

/** What the bodies of one client have in common, byte for byte, as long as only the variables differ. */
export interface BodySpelling {
  /** The part before the value of `variables`, and the part after it; all of a body without `variables`. */
  readonly bytes: Uint8Array;
  /** Where the value of `variables` belongs; null where there is none. */
  readonly hole: number | null;
  /** What JSON.parse returns, without the variables. Every body of this spelling gets the same values, and nobody may change them. */
  readonly parameters: JsonObject;
  /** Bytes of memory that all this takes. */
  readonly weight: number;
}

const bytesPerSpelling = 1_024;
const bytesPerCharacter = 2;
// Around the query are braces, names, escapes and extensions. An empty object takes three bytes in a body, and sixty in memory.
const bytesPerOther = 40;

const firstOfByteOrderMark = 0xef;

/**
 * Returns the spelling of a body for which `parseBody` has returned these parameters. Null where it is odd: a byte order mark, a
 * name with escapes, or a member that comes twice, of which JSON.parse takes the last.
 */
export function spellingOf(body: Buffer, parameters: JsonObject): BodySpelling | null {
  const members = membersOfBody(body);
  const isOdd = body[0] === firstOfByteOrderMark || members.some(({ name }) => !Object.hasOwn(parameters, name));
  if (isOdd || members.length !== Object.keys(parameters).length) return null;
  const weight = (length: number): number => weightOf(length, parameters);
  const variables = members.find(({ name }) => name === 'variables');
  if (variables === undefined)
    return { bytes: new Uint8Array(body), hole: null, parameters: { ...parameters }, weight: weight(body.length) };
  const { start, end } = variables;
  // Of its own: a part of a buffer would keep all of it in memory.
  const bytes = new Uint8Array(start + body.length - end);
  bytes.set(body.subarray(0, start));
  bytes.set(body.subarray(end), start);
  return { bytes, hole: start, parameters: { ...parameters, variables: null }, weight: weight(bytes.length) };
}

/** A character of the query has one byte or more in a body. */
function weightOf(length: number, { query }: JsonObject): number {
  const characters = typeof query === 'string' ? query.length : 0;
  return bytesPerSpelling + length + characters * bytesPerCharacter + (length - characters) * bytesPerOther;
}

/** Whether a body has all bytes of a spelling where they belong. There may still be anything in the hole. */
export function isSpelled(body: Buffer, { bytes, hole }: BodySpelling): boolean {
  const more = body.length - bytes.length;
  if (hole === null) return more === 0 && isEqual(body, 0, bytes, 0, bytes.length);
  // Otherwise the parts would overlap.
  return more > 0 && isEqual(body, hole + more, bytes, hole, bytes.length) && isEqual(body, 0, bytes, 0, hole);
}

// Node takes as long to begin a comparison as this loop takes for so many bytes.
const shortPart = 16;

/** Whether a body has at `at` the bytes from `start` up to `end`. */
function isEqual(body: Buffer, at: number, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > shortPart) return body.compare(bytes, start, end, at, at + end - start) === 0;
  for (let index = start; index < end; index++) if (body[at + index - start] !== bytes[index]) return false;
  return true;
}

// Node decodes what is no UTF-8 to it. Looking for it costs less than checking all bytes.
const replacementCharacter = '\uFFFD';

/**
 * Returns just what `parseBody` returns for a body that has this spelling; undefined where the hole is not filled with one value of
 * JSON in UTF-8. Other members may follow the value there.
 */
export function parametersIn(body: Buffer, { bytes, hole, parameters }: BodySpelling): JsonObject | undefined {
  if (hole === null) return { ...parameters };
  const end = hole + body.length - bytes.length;
  const text = body.toString('utf8', hole, end);
  if (text.includes(replacementCharacter) && !isUtf8(body.subarray(hole, end))) return undefined;
  try {
    return { ...parameters, variables: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
