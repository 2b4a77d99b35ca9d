import { firstRowBytes } from '../../../bounds.ts';
import type { ReceivedBody } from '../../../upstream/response/received-body.ts';

const beforeRow = /^\s*\{\s*"data"\s*:\s*\[\s*(?=\{)/;
// A text, or what opens or closes an object or a list. A text without an end matches as well: it would be looked through once for
// each quotation mark in it.
const token = /"(?:[^"\\]|\\.)*"?|[[\]{}]/gs;

/**
 * The first row of a list, parsed before its body is; undefined where the body does not begin with it, or where it is large or no
 * JSON. Whether the body is as it should be is for others to tell.
 */
export function firstRowOf(body: ReceivedBody): unknown {
  const text = body.textBetween(0, Math.min(body.length, firstRowBytes));
  const start = beforeRow.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  const end = endOfObject(text, start);
  if (end === undefined) return undefined;
  try {
    return JSON.parse(text.slice(start, end));
  } catch {
    return undefined;
  }
}

/** Where the object that begins at a place ends; undefined where that is not within the text. */
function endOfObject(text: string, start: number): number | undefined {
  token.lastIndex = start;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '{' || found[0] === '[') depth++;
    if (found[0] === '}' || found[0] === ']') depth--;
    if (depth === 0) return token.lastIndex;
  }
  return undefined;
}
