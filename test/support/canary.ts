// As many characters of a secret in a row as nothing else has by chance.
const pieceLength = 10;

// All secrets of the world have it at every sixth character, so each piece of one has it whole.
const mark = 'zQx';

// Larger texts are pages of rows; to decode each of their words takes longer than all else.
const decodedLength = 65_536;

/** Finds secrets in texts: plain, escaped, percent-encoded (twice too), in base64, in hexadecimal, or cut. */
export class Canary {
  readonly #pieces = new Map<string, string>();

  /** Adds a secret, and what to call it. */
  add(secret: string, name: string): void {
    for (let start = 0; start + pieceLength <= secret.length; start++)
      this.#pieces.set(secret.slice(start, start + pieceLength), name);
  }

  /** Each form in which a text shows ten characters of a secret or more, with what stands around them. */
  find(text: string): readonly string[] {
    return [...formsOf(text)].flatMap(([form, decoded]) => {
      for (let at = decoded.indexOf(mark); at >= 0; at = decoded.indexOf(mark, at + 1))
        for (let start = Math.max(0, at - pieceLength + mark.length); start <= at; start++) {
          const name = this.#pieces.get(decoded.slice(start, start + pieceLength));
          if (name !== undefined) return [`${name}, ${form}: …${decoded.slice(Math.max(0, start - 60), start + 60)}…`];
        }
      return [];
    });
  }
}

/** Where a text of any size shows ten characters or more of a canary that has no mark. */
export function canariesIn(text: string, canary: string): readonly string[] {
  const pieces = Array.from({ length: canary.length - pieceLength + 1 }, (_, start) =>
    canary.slice(start, start + pieceLength),
  );
  return [...formsOf(text, false)].flatMap(([form, decoded]) => {
    const piece = pieces.find((candidate) => decoded.includes(candidate));
    return piece === undefined ? [] : [`${form}: ${piece}`];
  });
}

function* formsOf(
  text: string,
  isLarge = text.length > decodedLength,
): Generator<readonly [form: string, decoded: string]> {
  const plain = unescaped(text);
  yield ['plain', plain];
  const once = percentDecoded(plain);
  if (once !== plain) {
    yield ['percent-encoded', once];
    yield ['percent-encoded twice', percentDecoded(once)];
  }
  if (!isLarge || once.includes('elF4'))
    for (const [run] of once.matchAll(/[\w+/-]{12,}/g))
      for (const offset of [0, 1, 2, 3]) yield ['base64', Buffer.from(run.slice(offset), 'base64').toString('latin1')];
  if (!isLarge || /7a5178/i.test(once))
    for (const [run] of once.matchAll(/[\da-f]{20,}/gi))
      for (const offset of [0, 1]) yield ['hex', Buffer.from(run.slice(offset), 'hex').toString('latin1')];
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text
    .replace(/\\u([\da-f]{4})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\/', '/');
}

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([\da-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The spellings of a key in what an API sends. */
export function spellingsOf(key: string): readonly string[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const everyCharacter = Array.from(key, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  return [
    key,
    `Bearer ${key}`,
    encodeURIComponent(`Bearer ${key}`),
    everyCharacter,
    ...['', 'u', 'us', 'Bearer ', 'user:'].map((lead) => base64(lead + key)),
    Buffer.from(key).toString('base64url'),
    Buffer.from(key).toString('hex'),
    Buffer.from(`Bearer ${key}`).toString('hex').toUpperCase(),
    `${key.slice(0, -6)}…`,
  ];
}
