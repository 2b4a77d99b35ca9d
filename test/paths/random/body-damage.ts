import type { Random } from '../../../src/sandbox/random.ts';

const words = (text: string): readonly string[] => text.split('|');

// JSON values as they stand on the wire, each at the edge of what some scalar takes, or of the grammar.
const oddValues: readonly string[] = [
  ...words('0|-0|7|-1|12.0|1e2|1E-2|-|01|+1|.5|2147483647|2147483648|-2147483648|-2147483649|12345678901'),
  ...words('12345678901234567890|null|nul|true|false|"true"|""|" "|[]|{}|[null]|[7]|["x"]|[["A","b"]]|{"a":1}|[[]]'),
  ...words('"\\u0000"|"\\ud83d"|"\\/"|"a\\\\"|"2026-10-01"|"2026-10-1"|"2026-10-01T08:30"|"2026-10-01t08:30:00,5z"'),
  ...words('"2026-10-01 08:30:00+0130"|"2026-10-01T08:30:00."|"2026-10-01T08:30Z "|"2026-10-01T08:30:00+01:3"'),
  ...words('"2026-10-01T08:30-01"|"20261001"|"1.50"|"+.5"|"5."|"."|"1e5"|"1e+"|"--1"|"comparative"|"simple"|"Simple"'),
  ...words('"75001"|{"code":"75001"}|{"code":7}|"Cookie: hush"|"Name: value"|["A","b"]|["A"]|{"7":1,"a":2,"3":4}'),
  ...words('{"a":1,"a":2}|{"\\u0061":1}|{"__proto__":{"a":1},"b":2}|{"then":1}|{"toJSON":1}|{"":1}|{"01":1,"a":2}'),
  ...words('"2026-10-02T14:05:11.5Z"|"2027-01-01T00:00:00.123456789Z"|"2027-01-01T00:00:00.1234567890Z"|"075001"|"-7"'),
  ...words('"-1.50"|"0.0000001"|"99999999999.999999"|"-0.00"|"2.5000000"|"007.10"|"5.000"|{"mrc":"1"}|{"code":"0"}'),
  ...words(
    '{"n":[-0,1.50,1e400,12345678901234567890,0.1]}|{"a":"\\u00e9\\/\\n","b":"\\ud83d\\ude00"}|{"a":{"1":{},"b":[]}}',
  ),
  ...words('["Cookie","hush"]|["set-COOKIE","hush"]|["Cookie","a\\nb"]|["x-api-key",null]|["Authorization",7]'),
];
// Texts about as long as what the transcoder takes at a time, plain to the end or not.
const borderTexts = [15, 16, 17, 33, 4_079, 4_080, 4_081, 4_096].flatMap((length) =>
  ['', 'é', '\\n', '\\u0041', '\t'].map((end) => `"${'x'.repeat(length - end.length)}${end}"`),
);
const headerNames = words(
  'Cookie|COOKIE|set-cookie|Set-Cookie | cookie|X-Api-Key|x-api-key-2|Authorization|Proxy-Authorization|authorization:|"cookie"|' +
    'X-Cookie|coo\\u212aie|\\u0063ookie||:cookie|_cookie|cookie\\r\\nA|Accept',
);
const headerValues = words('"hush"|"a\\r\\ncookie: hush"|"a\\u000acookie: hush"|""|null|7|"a\\tb\\""|"\\/"|[]');
const tokens = [
  ...words(
    '{|}|[|]|,|:|"|\\| |\n|\t|\r|\0|\u001F|\u007F|\u2028|é|😀|1.0|1E400|\\u0041|\\ud83d\\ude00|\\ude00|\\/|\\b|\\"|\\\\',
  ),
  ...words(
    '\\u001f|\\u00e9|\\x|\\u00g0|"data"|"meta":|"id":"x",|"id":null,|"then":1,|"__proto__":1,|"7":1,|"type":"simple",',
  ),
  ...oddValues,
].map((text) => Buffer.from(text));
const noUtf8 = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80]];

/** A body of JSON as another program might write it, or with something done to its bytes. Equal random streams give equal bodies. */
export function damaged(body: Buffer, random: Random): Buffer {
  if (random.chance(0.6)) return rewritten(body, random);
  if (random.chance(0.05)) return body.subarray(0, random.int(0, body.length));
  let result = body;
  for (let count = random.pick([1, 1, 1, 2, 5]); count > 0; count--) result = mutated(result, random);
  return result;
}

/** The same JSON, written in another way; the body itself where it is none. */
function rewritten(body: Buffer, random: Random): Buffer {
  try {
    return Buffer.from(new OddWriter(random).write(JSON.parse(body.toString())));
  } catch {
    return body;
  }
}

/** Writes values as JSON with spaces, escapes and members in other orders, and now and then something odd in it. */
class OddWriter {
  readonly #random: Random;
  readonly #oddShare: number;
  readonly #escapeShare: number;
  readonly #isSpaced: boolean;
  readonly #isShuffled: boolean;

  constructor(random: Random) {
    this.#random = random;
    this.#oddShare = random.pick([0, 0.002, 0.01, 0.03]);
    this.#escapeShare = random.pick([0, 0, 0, 0.005, 0.1]);
    this.#isSpaced = random.chance(0.2);
    this.#isShuffled = random.chance(0.3);
  }

  write(value: unknown): string {
    if (this.#isOdd()) return this.#oddValue();
    if (Array.isArray(value)) return this.#list(value);
    if (typeof value === 'object' && value !== null) return this.#object(value);
    return this.#space() + (typeof value === 'string' ? this.#text(value) : JSON.stringify(value)) + this.#space();
  }

  #list(items: readonly unknown[]): string {
    const isHeader = items.length === 2 && items.every((item) => typeof item === 'string');
    const random = this.#random;
    if (isHeader && random.chance(this.#oddShare * 20))
      return `[${this.#space()}"${random.pick(headerNames)}",${random.pick(headerValues)}]`;
    return `${this.#space()}[${items.map((item) => this.write(item)).join(',')}${this.#space()}]${this.#space()}`;
  }

  #object(value: object): string {
    const random = this.#random;
    const members = Object.entries(value).map(
      ([name, member]) => `${this.#space()}${this.#text(name)}:${this.write(member)}`,
    );
    const [name] = random.pick([['other'], ...Object.entries(value)]);
    const insert = (text: string): void => void members.splice(random.int(0, members.length), 0, text);
    if (this.#isOdd())
      insert(`${random.pick([JSON.stringify(name), escapedName(name), '"other"'])}:${this.#oddValue()}`);
    if (this.#isOdd()) members.shift();
    // Most records have their members in the order of the one before, and some do not.
    for (let moves = this.#isShuffled && random.chance(0.5) ? members.length : 0; moves > 0; moves--)
      insert(members.pop() ?? '');
    return `${this.#space()}{${members.join(',')}${this.#space()}}${this.#space()}`;
  }

  #text(plain: string): string {
    const text = JSON.stringify(plain);
    // What stands behind a backslash is a part of it.
    if (this.#escapeShare === 0 || text.includes('\\')) return text;
    return `"${Array.from(plain, (unit) => (unit.length === 1 && this.#random.chance(this.#escapeShare) ? escaped(unit) : unit)).join('')}"`;
  }

  #space(): string {
    return this.#isSpaced && this.#random.chance(0.3) ? this.#random.pick([' ', '\n', '\t', '\r\n  ']) : '';
  }

  #oddValue(): string {
    return this.#random.pick(this.#random.chance(0.9) ? oddValues : borderTexts);
  }

  #isOdd(): boolean {
    return this.#random.chance(this.#oddShare);
  }
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const escapedName = (name: string): string => (name === '' ? '""' : `"${escaped(name)}${name.slice(1)}"`);

/** A body with one thing done to its bytes. */
function mutated(body: Buffer, random: Random): Buffer {
  if (body.length === 0) return body;
  const at = placeIn(body, random);
  const end = Math.min(body.length, at + random.pick([0, 1, 1, 2, 7, 30]));
  switch (random.int(0, 7)) {
    case 0:
      return spliced(body, at, end, Buffer.alloc(0));
    case 1:
      return spliced(body, at, at, body.subarray(at, end));
    case 2:
      return spliced(body, at, at + 1, Buffer.from([random.int(0, 255)]));
    case 3:
      return spliced(body, at, at + random.int(0, 1), Buffer.from(random.pick(noUtf8)));
    case 4:
    case 5:
      return spliced(body, at, random.chance(0.5) ? at : end, random.pick(tokens));
    default:
      return withAnotherValue(body, at, random);
  }
}

/** A body with another value behind the next colon. Most of them are still JSON. */
function withAnotherValue(body: Buffer, at: number, random: Random): Buffer {
  const colon = body.indexOf(':', at);
  if (colon < 0) return body;
  const rest = body.subarray(colon + 1);
  const end = /^\s*(?:"(?:[^"\\]|\\.)*"|[-\w.+]+)/.exec(rest.toString('latin1'))?.[0].length ?? 0;
  return spliced(body, colon + 1, colon + 1 + end, random.pick(tokens));
}

/** Anywhere; more often beside what structures JSON. */
function placeIn(body: Buffer, random: Random): number {
  const at = random.int(0, body.length - 1);
  if (random.chance(0.4)) return at;
  const next = body.indexOf(random.pick(['"', ',', ':', '}', ']', '{', '[', '\\']), at);
  return next < 0 ? at : next + random.int(0, 1);
}

function spliced(body: Buffer, from: number, to: number, between: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, from), between, body.subarray(to)]);
}
