import type { ServerResponse } from 'node:http';
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
  ...words('{|}|[|]|,|:|"|\\| |\n|\t|\0|\u001F|\u007F|\u2028|é|😀|1E400|\\u0041|\\ud83d\\ude00|\\ude00|\\/|\\"|\\\\'),
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
    return Buffer.from(oddlyWritten(JSON.parse(body.toString()), random));
  } catch {
    return body;
  }
}

/** Values as JSON with spaces, escapes and members in other orders, and now and then something odd in it. */
function oddlyWritten(whole: unknown, random: Random): string {
  const oddShare = random.pick([0, 0.002, 0.01, 0.03]);
  const escapeShare = random.pick([0, 0, 0, 0.005, 0.1]);
  const [isSpaced, isShuffled] = [random.chance(0.2), random.chance(0.3)];
  const isOdd = (): boolean => random.chance(oddShare);
  const oddValue = (): string => random.pick(random.chance(0.9) ? oddValues : borderTexts);
  const space = (): string => (isSpaced && random.chance(0.3) ? random.pick([' ', '\n', '\t', '\r\n  ']) : '');

  function text(plain: string): string {
    const json = JSON.stringify(plain);
    // What stands behind a backslash is a part of it.
    if (escapeShare === 0 || json.includes('\\')) return json;
    const units = Array.from(plain, (unit) => (unit.length === 1 && random.chance(escapeShare) ? escaped(unit) : unit));
    return `"${units.join('')}"`;
  }

  function list(items: readonly unknown[]): string {
    const isHeader = items.length === 2 && items.every((item) => typeof item === 'string');
    if (isHeader && random.chance(oddShare * 20))
      return `[${space()}"${random.pick(headerNames)}",${random.pick(headerValues)}]`;
    return `${space()}[${items.map(write).join(',')}${space()}]${space()}`;
  }

  function object(value: object): string {
    const members = Object.entries(value).map(([name, member]) => `${space()}${text(name)}:${write(member)}`);
    const [name] = random.pick([['other'], ...Object.entries(value)]);
    const insert = (member: string): void => void members.splice(random.int(0, members.length), 0, member);
    if (isOdd()) insert(`${random.pick([JSON.stringify(name), escapedName(name), '"other"'])}:${oddValue()}`);
    if (isOdd()) members.shift();
    // Most records have their members in the order of the one before, and some do not.
    for (let moves = isShuffled && random.chance(0.5) ? members.length : 0; moves > 0; moves--)
      insert(members.pop() ?? '');
    return `${space()}{${members.join(',')}${space()}}${space()}`;
  }

  function write(value: unknown): string {
    if (isOdd()) return oddValue();
    if (Array.isArray(value)) return list(value);
    if (typeof value === 'object' && value !== null) return object(value);
    return space() + (typeof value === 'string' ? text(value) : JSON.stringify(value)) + space();
  }

  return write(whole);
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const escapedName = (name: string): string => (name === '' ? '""' : `"${escaped(name)}${name.slice(1)}"`);

/** A body with one thing done to its bytes, more often beside what structures JSON. */
function mutated(body: Buffer, random: Random): Buffer {
  if (body.length === 0) return body;
  const any = random.int(0, body.length - 1);
  const next = body.indexOf(random.pick(['"', ',', ':', '}', ']', '{', '[', '\\']), any);
  const at = random.chance(0.4) || next < 0 ? any : next + random.int(0, 1);
  const end = Math.min(body.length, at + random.pick([0, 1, 1, 2, 7, 30]));
  switch (random.int(0, 6)) {
    case 0:
      return spliced(body, at, end, Buffer.alloc(0));
    case 1:
      return spliced(body, at, at, body.subarray(at, end));
    case 2:
      return spliced(body, at, at + 1, Buffer.from([random.int(0, 255)]));
    case 3:
      return spliced(body, at, at + random.int(0, 1), Buffer.from(random.pick(noUtf8)));
    case 4:
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

function spliced(body: Buffer, from: number, to: number, between: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, from), between, body.subarray(to)]);
}

// What a border between two chunks may cut in two: a character of several bytes, an escape, a number, a literal, a name or text, white
// space, two tokens; or every byte. Where nothing in a body is of the kind, the body is not cut.
const borders = [
  /[\u00c2-\u00f4][\u0080-\u00bf]+/g,
  /\\(?:u[\da-fA-F]{4}|.)/g,
  /-?\d[\d.eE+-]+/g,
  /true|false|null/g,
  /"[^"\\]+"/g,
  /[ \t\r\n]{2,}/g,
  /["\]}\w][,:\]}]/g,
  /[^](?=[^])/g,
];
const mostPieces = 2_000;

/** A body in pieces, each border of which is within something of one kind. */
export function cutBody(body: Buffer, random: Random): readonly Buffer[] {
  // One character stands for one byte.
  const matches = [...body.toString('latin1').matchAll(random.pick(borders))].slice(0, mostPieces);
  const places = matches.map(({ index, 0: { length } }) => random.int(index + 1, index + Math.max(1, length - 1)));
  return [0, ...places].map((from, index) => body.subarray(from, places[index] ?? body.length));
}

/** Sends a response whose body comes in these pieces: as chunks, or within a known length with a turn of the event loop between some. */
export function sendPieces(
  res: ServerResponse,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  [first = Buffer.alloc(0), ...rest]: readonly Buffer[],
  isChunked: boolean,
): void {
  const length = rest.reduce((sum, piece) => sum + piece.length, first.length);
  res.writeHead(status, { ...headers, ...(!isChunked && { 'content-length': length }) }).flushHeaders();
  if (!isChunked) return void res.write(first, () => setImmediate(() => res.end(Buffer.concat(rest))));
  for (const piece of [first, ...rest]) res.write(piece);
  res.end();
}
