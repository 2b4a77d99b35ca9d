import { hash, randomBytes } from 'node:crypto';
import { GatewayError } from '../errors.ts';

/** Characters of a bearer key (interface: "Errors"). */
const keyLength = 4_096;

/** Words of an Authorization header of another form that may be keys, and are hidden in texts: such headers have one or two. */
const headerWords = 4;

// RFC 6750, section 2.1: b64token. The scheme is case-insensitive (RFC 9110, section 11.1).
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;
// Parts of a key of the sandbox may be `name=value`.
const sandboxBearer = /^bearer +([A-Za-z0-9\-._~+/][A-Za-z0-9\-._~+/=]*)$/i;

/** A caller by key, and by the name that the key has in this process. */
export interface CallerKey {
  readonly key: string;
  readonly identity: string;
}

/** Reads the API key of an Authorization header; null where it has another form, or is too long. */
function keyIn(authorization: string, pattern = bearer): string | null {
  const key = pattern.exec(authorization)?.[1];
  return key === undefined || key.length > keyLength ? null : key;
}

/** UNAUTHENTICATED for a caller without a key that could be sent; its message says what is wanted. */
export function withoutCredential(): GatewayError {
  return new GatewayError('UNAUTHENTICATED', {
    message: `This needs your own API key, of ${keyLength} characters at most. Send it in the header "Authorization: Bearer <key>".`,
  });
}

const words = new RegExp(`[\\w\\-.~+/]{8,${keyLength}}=*`, 'g');

/** The parts of a header that may be keys: the key, or the longer words of a header of another form. */
function keysIn(authorization = ''): readonly string[] {
  const key = keyIn(authorization);
  if (key !== null) return [key];
  return authorization.match(words)?.slice(0, headerWords) ?? [];
}

const processKey = randomBytes(32).toString('base64');

/**
 * The name of a caller in state that requests share: a keyed hash of the credential, useless outside this process. Equal
 * credentials have equal names, and a name does not reveal its credential.
 */
export function callerIdentityOf(key: string): string {
  // One call, several times cheaper than an HMAC object. An HMAC also resists the extension of a text whose hash is known, but
  // nobody sees these hashes.
  return hash('sha256', processKey + key, 'base64url');
}

/**
 * Reads the key of a request's Authorization header, and of its X-Sandbox, which counts before the embedded sandbox alone; and the name of
 * its caller in state that requests share. Where there is no key that could be sent, that is null, and the name is empty.
 */
export type ReadCredential = (
  authorization: string | undefined,
  sandboxHeader?: string | string[],
) => { readonly key: string | null; readonly identity: string };

/** Creates the reader of credentials, whose keys may have the parts of a sandbox's before the embedded one. */
export function createCredentialReader(isSandbox = false): ReadCredential {
  return (given = '', sandboxHeader) => {
    const key = isSandbox ? keyIn(withSandboxHeader(given, sandboxHeader), sandboxBearer) : keyIn(given);
    return { key, identity: key === null ? '' : callerIdentityOf(key) };
  };
}

/** The header with the parts of X-Sandbox in its key: they tell callers apart in all that requests share, and reach the sandbox. */
function withSandboxHeader(authorization: string, header: string | string[] | undefined): string {
  if (authorization === '' || header === undefined) return authorization;
  return `${authorization}+x-sandbox+${header.toString().replaceAll(/[^\w.~+/=-]+/g, '+')}`;
}

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
  const spellings = spellingsOf(key);
  // Most texts hold no key: the search for its first characters shows that.
  if (!text.includes('%') && !spellings.some((spelling) => text.includes(spelling.slice(0, shortest)))) return text;
  const parts = partsOf(spellings);
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

/** All parts of eight characters of the spellings of a key: a text that shows the key shows some of them. */
function partsOf(spellings: readonly string[]): ReadonlySet<string> {
  const length = Math.min(...spellings.map((spelling) => spelling.length), shortest);
  const parts = new Set<string>();
  for (const spelling of spellings)
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
