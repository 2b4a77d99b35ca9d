import { keysIn } from './credential.ts';

const redacted = '[redacted]';
// A shorter key, or a shorter part of one, would also be found in texts that have nothing to do with it.
const shortest = 8;

/**
 * Takes a key out of a text: as it is, in base64 (either alphabet, anywhere within the encoded bytes) and in hexadecimal, each in whole or
 * in part. Of a key that is percent-encoded, any number of times, the whole word is hidden. With a limit, the text is cut to so many
 * characters. Wherever a text was cut, it shows no more than seven characters of the key's beginning. The time grows with the length of the
 * key and of the text up to the limit.
 */
export function withoutKey(text: string, key: string, limit = Infinity): string {
  // A key that lies across the limit is searched whole.
  return cut(hide(text.slice(0, limit + key.length), key), limit);
}

/** The first characters of a text, and never half of a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const isHalved = (text.codePointAt(limit - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isHalved ? limit - 1 : limit);
}

/** Takes the key of an Authorization header out of a text, and cuts the text to `limit` characters. */
export function hideCallerKey(text: string, authorization: string | undefined, limit = Infinity): string {
  let hidden = text;
  for (const key of keysIn(authorization)) hidden = withoutKey(hidden, key, limit);
  return cut(hidden, limit);
}

function hide(text: string, key: string): string {
  if (key === '' || text.length < Math.min(key.length, shortest)) return text;
  // Most texts hold no key: the search for its first characters shows that.
  if (!text.includes('%') && !beginningsOf(key).some((beginning) => text.includes(beginning))) return text;
  const parts = partsOf(key);
  return text.replaceAll(/\S+/g, (word) => {
    const decoded = percentDecoded(word);
    return decoded !== word && withoutParts(decoded, parts) !== decoded ? redacted : withoutParts(word, parts);
  });
}

/** The spellings of a key: as it is, in hexadecimal of either case, and in base64 of either alphabet. */
function spellingsOf(key: string): readonly string[] {
  if (key.length < shortest) return [key];
  const hexadecimal = Buffer.from(key, 'latin1').toString('hex');
  const base64 = [0, 1, 2].map((lead) => base64Of(key, lead));
  const forUrls = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [key, hexadecimal, hexadecimal.toUpperCase(), ...base64, ...forUrls];
}

/** The characters of base64 that depend on the key alone, where `lead` bytes come before the key in its first group of three. */
function base64Of(key: string, lead: number): string {
  const whole = btoa('\0'.repeat(lead) + key);
  return whole.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + key.length) * 8) / 6));
}

function beginningsOf(key: string): readonly string[] {
  // With one character more, the first characters of base64 have all bits of their bytes.
  return spellingsOf(key.slice(0, shortest + 1)).map((spelling) => spelling.slice(0, shortest));
}

/** All parts of eight characters of all spellings: a text that shows the key shows some of them. */
function partsOf(key: string): ReadonlySet<string> {
  const length = Math.min(key.length, shortest);
  const parts = new Set<string>();
  for (const spelling of spellingsOf(key))
    for (let from = 0; from + length <= spelling.length; from++) parts.add(spelling.slice(from, from + length));
  return parts;
}

/** A text with its percent-encoded characters decoded, however often each was encoded: a `%` that is encoded once more is `%25`. */
function percentDecoded(text: string): string {
  const decode = (_escape: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));
  return text.replaceAll(/%(?:25)*(?!25)([\da-f]{2})/gi, decode);
}

/** A text without the parts of a key. */
function withoutParts(text: string, parts: ReadonlySet<string>): string {
  const [{ length } = ''] = parts;
  let shown = '';
  let from = 0;
  for (let at = 0; at + length <= text.length; at++) {
    if (!parts.has(text.slice(at, at + length))) continue;
    if (at > from || shown === '') shown += text.slice(from, at) + redacted;
    from = at + length;
  }
  return shown + text.slice(from);
}
