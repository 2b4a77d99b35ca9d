/** A text as one reads it, and where its characters stand in its source. */
export interface DecodedText {
  readonly text: string;
  /** Where a character begins in the source; for the text's length, where the source ends. */
  readonly at: (index: number) => number;
}

/** A text as it stands. */
export function verbatim(source: string): DecodedText {
  return { text: source, at: (index) => index };
}

// Encoded once more, `%` is `%25`: so a character has any number of them before its own two digits.
const escape = /%(?:25)*(?!25)([\da-f]{2})/gi;

/**
 * A text with its percent-encoded characters decoded, however often they were encoded and whether or not their neighbours are;
 * an encoded `%` that nothing follows stays as it is. Null where nothing is encoded.
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
 * How many characters at the beginning of a pattern may have been taken for the end of a percent-encoded one: behind a `%` that
 * is itself none of the pattern's, as in `%41…` for a pattern that begins with `41`.
 */
export function swallowedOf(pattern: string): readonly number[] {
  return swallowed.flatMap((form) => form.exec(pattern)?.[0].length ?? []);
}
