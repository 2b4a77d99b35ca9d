// RFC 6750, section 2.1: b64token. The scheme is case-insensitive (RFC 9110, section 11.1).
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;
const longestHeader = 4096;

/** The API key in an Authorization header; null where there is none or it has not the form of a bearer key. */
export function bearerKeyOf(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > longestHeader) return null;
  return bearer.exec(authorization)?.[1] ?? null;
}

const mostWords = 4;

/** What of a header may be a key: the key or, where the header has not the right form, the longer words in it. */
export function keysIn(authorization = ''): readonly string[] {
  const key = bearerKeyOf(authorization);
  if (key !== null) return [key];
  return authorization.match(/[\w\-.~+/]{8,4096}=*/g)?.slice(0, mostWords) ?? [];
}

/** Takes every spelling of `key` out of a text: plain, base64, and each of them percent-encoded once or more, alone or within more. */
export function withoutKey(text: string, key: string): string {
  // No spelling of a key is shorter than the key.
  if (text.length < key.length) return text;
  const isEncoded = text.includes('%');
  return [key, ...base64Of(key)].reduce(
    (left, spelling) => left.replaceAll(isEncoded ? percentEncoded(spelling) : spelling, redacted),
    text,
  );
}

const redacted = '[redacted]';

/** Each character as it is, or percent-encoded; what is encoded again begins with `%25`. */
function percentEncoded(spelling: string): RegExp {
  const characters = Array.from(spelling, (character) => {
    const hex = character.charCodeAt(0).toString(16);
    return `(?:${RegExp.escape(character)}|%(?:25)*(?i:${hex}))`;
  });
  return new RegExp(characters.join(''), 'g');
}

// A key shorter than this has too little base64 of its own: other texts would lose theirs.
const shortest = 8;

/** The characters of base64 that `key` alone decides, for each way in which it can lie across its groups of three bytes. */
function base64Of(key: string): readonly string[] {
  if (key.length < shortest) return [];
  return ['base64', 'base64url'].flatMap((alphabet) =>
    [0, 1, 2].map((lead) => {
      const whole = Buffer.from('\0'.repeat(lead) + key).toString(alphabet as BufferEncoding);
      return whole.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + key.length) * 8) / 6));
    }),
  );
}
