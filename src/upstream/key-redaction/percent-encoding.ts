/** A decoded text, and the positions of its characters in the source. */
export interface DecodedText {
  readonly text: string;
  /** The position in the source at which a character begins; for the text's length, the end of the source. */
  readonly at: (index: number) => number;
}

/** A text without decoding. */
export function verbatim(source: string): DecodedText {
  return { text: source, at: (index) => index };
}

// A `%` that is encoded once more is `%25`, so a character may have any number of `25` before its own two digits.
const escape = /%(?:25)*(?!25)([\da-f]{2})/gi;

/**
 * A text with its percent-encoded characters decoded, however often each was encoded. An encoded `%` that nothing follows stays as
 * it is. Null where nothing is encoded.
 */
export function percentDecoded(source: string): DecodedText | null {
  if (source.search(escape) < 0) return null;
  const starts = new Int32Array(source.length + 1);
  const parts: string[] = [];
  let length = 0;
  let from = 0;
  const copy = (to: number): void => {
    parts.push(source.slice(from, to));
    while (from < to) starts[length++] = from++;
  };
  for (const { 0: whole, 1: digits = '', index } of source.matchAll(escape)) {
    copy(index);
    parts.push(String.fromCharCode(Number.parseInt(digits, 16)));
    starts[length++] = index;
    from = index + whole.length;
  }
  copy(source.length);
  starts[length] = source.length;
  return { text: parts.join(''), at: (index) => starts[index] ?? source.length };
}

const swallowed = [/^[\da-f]/i, /^(?:25)*(?!25)[\da-f]{2}/i, /^5(?:25)*(?!25)[\da-f]{2}/i];

/**
 * How many characters at the beginning of a pattern may have been decoded as the end of a percent-encoded character: behind a `%`
 * that is not part of the pattern, as in `%41…` for a pattern that begins with `41`.
 */
export function swallowedOf(pattern: string): readonly number[] {
  return swallowed.flatMap((form) => form.exec(pattern)?.[0].length ?? []);
}
