import { spellingsOf } from './key-spelling.ts';
import { percentDecoded, swallowedOf, verbatim, type DecodedText } from './percent-encoding.ts';
import { searchText } from './text-search.ts';

const redacted = '[redacted]';
// A key or a part of one that is shorter has too little of its own: other texts would lose theirs.
const shortest = 8;

/** Half-open, in the source. */
interface Stretch {
  readonly from: number;
  to: number;
}

/**
 * Takes a key out of a text: as it is, in base64 (either alphabet, anywhere in what was encoded) and in hexadecimal, each of them
 * percent-encoded any number of times, in whole or in part. With a limit the text is cut to so many characters, and may have
 * been cut before: then the beginning of a key at its end, of eight characters or more, is hidden as well. The time grows with the
 * text, as far as the limit needs it, plus the key.
 */
export function withoutKey(text: string, key: string, limit = Infinity): string {
  const isWhole = limit === Infinity;
  if (text.length < (isWhole ? key.length : Math.min(key.length, shortest))) return cut(text, limit);
  // So that a key into which the limit falls is seen whole.
  return cut(hide(text.slice(0, limit + key.length), key, isWhole), limit);
}

/** The first characters of a text; never half of one that takes two. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const isHalved = (text.codePointAt(limit - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isHalved ? limit - 1 : limit);
}

function hide(text: string, key: string, isWhole: boolean): string {
  const readings = [verbatim(text), percentDecoded(text)].filter((reading) => reading !== null);
  const stretches = readings.flatMap((reading) => stretchesOf(reading, text, key, isWhole));
  if (stretches.length === 0) return text;
  const parts: string[] = [];
  let end = 0;
  for (const { from, to } of merged(stretches.sort((left, right) => left.from - right.from))) {
    parts.push(text.slice(end, from), redacted);
    end = to;
  }
  return parts.join('') + text.slice(end);
}

/** What of the source a reading of it shows to be the key. */
function stretchesOf(reading: DecodedText, source: string, key: string, isWhole: boolean): readonly Stretch[] {
  const isDecoded = reading.text !== source;
  // Most texts hold no key, which its first characters are enough to tell.
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
  // One character more: those of base64 take all bits of their bytes only so.
  return patternsOf(key.slice(0, shortest + 1)).map((pattern) => pattern.slice(0, shortest));
}

/** Searches for a pattern whose first `swallowed` characters stand, in the source, at the end of a percent-encoded one. */
function search(
  reading: DecodedText,
  source: string,
  pattern: string,
  swallowed: number,
  isWhole: boolean,
): readonly Stretch[] {
  const { text, at } = reading;
  const rest = pattern.slice(swallowed);
  if (rest === '' || !text.includes(rest.slice(0, Math.max(1, shortest - swallowed)))) return [];
  const lead = pattern.slice(0, swallowed);
  const stretches: Stretch[] = [];
  const note = (start: number, to: number): void => {
    const from = at(start) - swallowed;
    const isLed = swallowed === 0 || (start > 0 && from > at(start - 1) && source.startsWith(lead, from));
    const last = stretches.at(-1);
    if (!isLed) return;
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else stretches.push({ from, to });
  };
  searchText(text, rest, cutOf(text), {
    found: (start) => note(start, at(start + rest.length)),
    open: (end, length) => {
      if (!isWhole && length > 0 && length + swallowed >= shortest) note(end - length, source.length);
    },
  });
  return stretches;
}

const unfinished = /^%(?:25)*[\da-f]?$/i;

/** Where a text may have been cut: before the marks of it, and before a percent-encoded character that is not whole. */
function cutOf(text: string): number {
  let end = text.length;
  while (end > 0 && isCutMark(text.charAt(end - 1))) end--;
  const percent = text.lastIndexOf('%', end);
  return percent >= 0 && unfinished.test(text.slice(percent, end)) ? percent : end;
}

function isCutMark(character: string): boolean {
  return '.…*"\'`)]}> \n'.includes(character);
}

function merged(sorted: readonly Stretch[]): readonly Stretch[] {
  const all: Stretch[] = [];
  for (const { from, to } of sorted) {
    const last = all.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}
