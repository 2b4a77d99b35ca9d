import { spellingsOf } from './key-spelling.ts';
import { percentDecoded, swallowedOf, verbatim, type DecodedText } from './percent-encoding.ts';
import { searchText } from './text-search.ts';

const redacted = '[redacted]';
// A shorter key, or a shorter part of one, would also be found in texts that have nothing to do with it.
const shortest = 8;

/** A part of the source; `to` is not included. */
interface SourceRange {
  readonly from: number;
  to: number;
}

/**
 * Takes a key out of a text: as it is, in base64 (either alphabet, anywhere within the encoded bytes) and in hexadecimal, each of
 * them percent-encoded any number of times, in whole or in part. With a limit, the text is cut to so many characters. Such a text
 * may have been cut before, so the beginning of a key at its end is hidden as well, if it has eight characters or more. The time
 * grows with the length of the key and of the text up to the limit.
 */
export function withoutKey(text: string, key: string, limit = Infinity): string {
  const isWhole = limit === Infinity;
  if (text.length < (isWhole ? key.length : Math.min(key.length, shortest))) return cut(text, limit);
  // A key that lies across the limit is searched whole.
  return cut(hide(text.slice(0, limit + key.length), key, isWhole), limit);
}

/** The first characters of a text, and never half of a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const isHalved = (text.codePointAt(limit - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isHalved ? limit - 1 : limit);
}

function hide(text: string, key: string, isWhole: boolean): string {
  const decodings = [verbatim(text), percentDecoded(text)].filter((decoding) => decoding !== null);
  const ranges = decodings.flatMap((decoding) => rangesOf(decoding, text, key, isWhole));
  if (ranges.length === 0) return text;
  const parts: string[] = [];
  let end = 0;
  for (const { from, to } of merged(ranges.sort((left, right) => left.from - right.from))) {
    parts.push(text.slice(end, from), redacted);
    end = to;
  }
  return parts.join('') + text.slice(end);
}

/** The parts of the source that are the key, as one decoding of it shows. */
function rangesOf(reading: DecodedText, source: string, key: string, isWhole: boolean): readonly SourceRange[] {
  const isDecoded = reading.text !== source;
  // Most texts hold no key: the search for its first characters shows that.
  if (!isDecoded && !beginningsOf(key).some((beginning) => source.includes(beginning))) return [];
  return patternsOf(key).flatMap((pattern) => {
    const swallowed = isDecoded ? [0, ...swallowedOf(pattern)] : [0];
    return swallowed.flatMap((count) => search(reading, source, pattern, count, isWhole));
  });
}

function patternsOf(key: string): readonly string[] {
  return key.length < shortest ? [key] : spellingsOf(key);
}

function beginningsOf(key: string): readonly string[] {
  // With one character more, the first characters of base64 have all bits of their bytes.
  return patternsOf(key.slice(0, shortest + 1)).map((pattern) => pattern.slice(0, shortest));
}

/** Searches for a pattern whose first `swallowed` characters are, in the source, the end of a percent-encoded character. */
function search(
  reading: DecodedText,
  source: string,
  pattern: string,
  swallowed: number,
  isWhole: boolean,
): readonly SourceRange[] {
  const { text, at } = reading;
  const rest = pattern.slice(swallowed);
  if (rest === '' || !text.includes(rest.slice(0, Math.max(1, shortest - swallowed)))) return [];
  const lead = pattern.slice(0, swallowed);
  const ranges: SourceRange[] = [];
  const addRange = (start: number, to: number): void => {
    const from = at(start) - swallowed;
    const isLed = swallowed === 0 || (start > 0 && from > at(start - 1) && source.startsWith(lead, from));
    const last = ranges.at(-1);
    if (!isLed) return;
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else ranges.push({ from, to });
  };
  searchText(text, rest, cutOf(text), {
    found: (start) => addRange(start, at(start + rest.length)),
    open: (end, length) => {
      if (!isWhole && length > 0 && length + swallowed >= shortest) addRange(end - length, source.length);
    },
  });
  return ranges;
}

const unfinished = /^%(?:25)*[\da-f]?$/i;

/** Where a text may have been cut: before marks such as `…`, and before a percent-encoded character that is not whole. */
function cutOf(text: string): number {
  let end = text.length;
  while (end > 0 && isCutMark(text.charAt(end - 1))) end--;
  const percent = text.lastIndexOf('%', end);
  return percent >= 0 && unfinished.test(text.slice(percent, end)) ? percent : end;
}

function isCutMark(character: string): boolean {
  return '.…*"\'`)]}> \n'.includes(character);
}

function merged(sorted: readonly SourceRange[]): readonly SourceRange[] {
  const all: SourceRange[] = [];
  for (const { from, to } of sorted) {
    const last = all.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}
