import { randomUUID } from 'node:crypto';
import { parsedSlice } from '../../bounds.ts';
import { isJsonObject } from '../../json.ts';

// Random, so that no text of an upstream can look like it.
const mark = randomUUID();
const comma = 0x2c;
const blanks: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\r\n'));
const longestStart = 256;

/**
 * What JSON.parse makes of a body, of which one list of `data` is parsed in slices; `rest` resolves when others have had their turn.
 * Undefined where that does not succeed: then all of it has to be parsed at once.
 *
 * A slice ends where a row seems to end and another to begin. There is only one way to read JSON: what is a list between brackets
 * is a part of the list that it stands in. What is left of the body has a mark in place of the slices. Where that is the first item of
 * the list, the slices were of that list.
 */
export async function parseInSlices(
  bytes: Buffer,
  listName: string,
  rest: () => Promise<void>,
  sliceBytes = parsedSlice,
): Promise<unknown> {
  const list = listIn(bytes, listName);
  if (list === null) return undefined;
  const endOf = (from: number): number | null => endOfSlice(bytes, from, from + sliceBytes, list.start);
  const parsed: unknown[] = [];
  let from = list.from;
  try {
    for (let end = endOf(from); end !== null; end = endOf(from)) {
      const rows = JSON.parse(`[${bytes.toString('utf8', from, end)}]`) as unknown[];
      // A comma follows, and there must be something before it.
      if (rows.length === 0) return undefined;
      for (const row of rows) parsed.push(row);
      from = end + 1;
      await rest();
    }
    const before = bytes.toString('utf8', 0, list.from);
    return withSlices(JSON.parse(`${before}"${mark}",${bytes.toString('utf8', from)}`), listName, parsed);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Where the rows of the first list of this name begin, and the bytes that a row begins with; null without such a list. */
function listIn(bytes: Buffer, name: string): { readonly from: number; readonly start: Buffer } | null {
  const text = `"${name}"`;
  const at = bytes.indexOf(text);
  const colon = behindBlanks(bytes, at + text.length);
  const bracket = behindBlanks(bytes, colon + 1);
  if (at < 0 || bytes[colon] !== 0x3a || bytes[bracket] !== 0x5b) return null;
  const row = behindBlanks(bytes, bracket + 1);
  const end = bytes.subarray(row, row + longestStart).indexOf(':');
  return bytes[row] === 0x7b && end > 0 ? { from: bracket + 1, start: bytes.subarray(row, row + end) } : null;
}

/** The comma behind a slice that has so many bytes at least; null where what is left is the last one. */
function endOfSlice(bytes: Buffer, from: number, least: number, start: Buffer): number | null {
  let at = bytes.indexOf(start, least) - 1;
  while (blanks.has(bytes[at])) at--;
  return at > from && bytes[at] === comma ? at : null;
}

function behindBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (blanks.has(bytes[at])) at++;
  return at;
}

function withSlices(body: unknown, listName: string, parsed: unknown[]): unknown {
  const data = isJsonObject(body) && isJsonObject(body['data']) ? (body['data'] as Record<string, unknown>) : {};
  const list = data[listName];
  if (!Array.isArray(list) || list[0] !== mark) return undefined;
  for (let index = 1; index < list.length; index++) parsed.push(list[index]);
  data[listName] = parsed;
  return body;
}
