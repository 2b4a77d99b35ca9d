// As many characters of a secret in a row as nothing else has by chance.
export const pieceLength = 10;

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

/** A text plain and decoded; of a large one only the words with the mark of `Canary` are decoded: all take longer than all else. */
export function* formsOf(text: string, isLarge: boolean): Generator<readonly [form: string, decoded: string]> {
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
