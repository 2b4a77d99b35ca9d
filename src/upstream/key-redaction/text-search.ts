/**
 * Finds a pattern in a text, overlaps included: `found` gets each start. `open` gets how many characters at the end of the first
 * `mark` characters, and of the whole text, begin a pattern that is not whole. The time is linear in text and pattern (Knuth,
 * Morris and Pratt); that of `indexOf` is their product where they repeat themselves.
 */
export function searchText(
  text: string,
  pattern: string,
  mark: number,
  { found, open }: { readonly found: (start: number) => void; readonly open: (end: number, length: number) => void },
): void {
  const fallbacks = fallbacksOf(pattern, text.length);
  let matched = 0;
  for (let index = 0; index < text.length; index++) {
    if (index === mark) open(index, matched);
    const code = text.charCodeAt(index);
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = fallbacks[matched] ?? 0;
    if (pattern.charCodeAt(matched) === code) matched++;
    if (matched < pattern.length) continue;
    found(index + 1 - matched);
    matched = fallbacks[matched] ?? 0;
  }
  open(text.length, matched);
}

/** For each beginning of the pattern, the length of the longest shorter beginning that also ends it; up to `most` characters. */
function fallbacksOf(pattern: string, most: number): Int32Array {
  const length = Math.min(pattern.length, most);
  const fallbacks = new Int32Array(length + 1);
  let matched = 0;
  for (let index = 1; index < length; index++) {
    const code = pattern.charCodeAt(index);
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = fallbacks[matched] ?? 0;
    if (pattern.charCodeAt(matched) === code) matched++;
    fallbacks[index + 1] = matched;
  }
  return fallbacks;
}
