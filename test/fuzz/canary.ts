// As many characters of a canary in a row as nothing else has by chance.
const trace = 10;

/** Where a text shows ten characters or more of a canary: plain, escaped, percent-encoded (twice too), base64 or hex. */
export function canariesIn(text: string, canary: string): readonly string[] {
  const pieces = Array.from({ length: canary.length - trace + 1 }, (_, start) => canary.slice(start, start + trace));
  return [...formsOf(text)].flatMap(([form, decoded]) => {
    const piece = pieces.find((candidate) => decoded.includes(candidate));
    if (piece === undefined) return [];
    const position = decoded.indexOf(piece);
    return [`${form}: …${decoded.slice(Math.max(0, position - 60), position + 60)}…`];
  });
}

function* formsOf(text: string): Generator<readonly [form: string, decoded: string]> {
  const plain = unescaped(text);
  const once = percentDecoded(plain);
  yield ['plain', plain];
  yield ['percent-encoded', once];
  yield ['percent-encoded twice', percentDecoded(once)];
  for (const [run] of once.matchAll(/[\w+/-]{12,}/g))
    for (const offset of [0, 1, 2, 3]) yield ['base64', Buffer.from(run.slice(offset), 'base64').toString('latin1')];
  for (const [run] of once.matchAll(/[\da-f]{20,}/gi))
    for (const offset of [0, 1]) yield ['hex', Buffer.from(run.slice(offset), 'hex').toString('latin1')];
}

function unescaped(text: string): string {
  return text
    .replace(/\\u([\da-f]{4})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\/', '/');
}

function percentDecoded(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The spellings of a key in an upstream response. */
export function spellingsOf(key: string): readonly string[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const everyCharacter = Array.from(key, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  return [
    key,
    `Bearer ${key}`,
    encodeURIComponent(key),
    encodeURIComponent(`Bearer ${key}`),
    everyCharacter,
    ...['', 'u', 'us', 'Bearer ', 'user:'].map((lead) => base64(lead + key)),
    base64(`${key}:`),
    Buffer.from(key).toString('base64url'),
    Buffer.from(key).toString('hex'),
    Buffer.from(`Bearer ${key}`).toString('hex').toUpperCase(),
  ];
}
