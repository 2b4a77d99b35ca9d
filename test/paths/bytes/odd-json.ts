import type { Random } from '../../../src/sandbox/random.ts';

/** JSON values as they stand on the wire, each at the edge of what some scalar takes, or of the grammar. */
export const oddValues: readonly string[] = [
  ...'0|-0|7|-1|12.0|1e2|1E-2|-|01|+1|.5|2147483647|2147483648|-2147483648|-2147483649|12345678901|12345678901234567890'.split(
    '|',
  ),
  ...'null|nul|true|false|"true"|""|" "|[]|{}|[null]|[7]|["x"]|[["A","b"]]|{"a":1}|[[]]|"\\u0000"|"\\ud83d"|"\\/"|"a\\\\"'.split(
    '|',
  ),
  ...'"2026-10-01"|"2026-10-1"|"2026-10-01T08:30"|"2026-10-01t08:30:00,5z"|"2026-10-01 08:30:00+0130"|"2026-10-01T08:30:00."'.split(
    '|',
  ),
  ...'"2026-10-01T08:30Z "|"2026-10-01T08:30:00+01:3"|"2026-10-01T08:30-01"|"20261001"|"1.50"|"+.5"|"5."|"."|"1e5"|"1e+"|"--1"'.split(
    '|',
  ),
  ...'"comparative"|"simple"|"Simple"|"75001"|{"code":"75001"}|{"code":7}|"Cookie: hush"|"Name: value"|["A","b"]|["A"]'.split(
    '|',
  ),
  ...'{"7":1,"a":2,"3":4}|{"a":1,"a":2}|{"\\u0061":1}|{"__proto__":{"a":1},"b":2}|{"then":1}|{"toJSON":1}|{"":1}|{"01":1,"a":2}'.split(
    '|',
  ),
  ...'"2026-10-02T14:05:11.5Z"|"2026-10-02T14:05:11Z"|"2027-01-01T00:00:00.123456789Z"|"2027-01-01T00:00:00.1234567890Z"|"075001"|"-7"'.split(
    '|',
  ),
  ...'"-1.50"|"0.0000001"|"99999999999.999999"|"123456789012"|"-0.00"|"-12.00"|"2.5000000"|"007.10"|"5.000"|{"mrc":"1"}|{"code":"0"}'.split(
    '|',
  ),
  ...'{"n":[-0,1.50,1e400,12345678901234567890,0.1]}|{"a":"\\u00e9\\/\\n","b":"\\ud83d\\ude00"}|{"a":{"1":{},"b":[]}}'.split(
    '|',
  ),
  ...'["Cookie","hush"]|["set-COOKIE","hush"]|["Cookie","a\\nb"]|["x-api-key",null]|["Authorization",7]|["X-Cookie","b"]'.split(
    '|',
  ),
];
/** Texts about as long as what the transcoder takes at a time, plain to the end or not. */
export const borderTexts: readonly string[] = [15, 16, 17, 33, 4_079, 4_080, 4_081, 4_096].flatMap((length) =>
  ['', 'é', '\\n', '\\u0041', '\t'].map((end) => `"${'x'.repeat(length - end.length)}${end}"`),
);
const headerNames = [
  'Cookie',
  'COOKIE',
  'set-cookie',
  'Set-Cookie ',
  ' cookie',
  'X-Api-Key',
  'x-api-key-2',
  'Authorization',
  'Proxy-Authorization',
  'authorization:',
  '"cookie"',
  'X-Cookie',
  'coo\\u212aie',
  '\\u0063ookie',
  '',
  ':cookie',
  '_cookie',
  'cookie\\r\\nA',
  'Accept',
];
const headerValues = [
  '"hush"',
  '"a\\r\\ncookie: hush"',
  '"a\\u000acookie: hush"',
  '""',
  'null',
  '7',
  '"a\\tb\\""',
  '"\\/"',
  '[]',
];

/** Writes a parsed body again, as another program might: with spaces, escapes, and now and then something odd in it. */
export function oddJson(value: unknown, random: Random): string {
  const share = random.pick([0, 0.002, 0.01, 0.03]);
  const isSpaced = random.chance(0.2);
  const isShuffled = random.chance(0.3);
  const escaping = random.pick([0, 0, 0, 0.005, 0.1]);
  const isOdd = (): boolean => random.chance(share);
  const space = (): string => (isSpaced && random.chance(0.3) ? random.pick([' ', '\n', '\t', '\r\n  ']) : '');

  function text(plain: string): string {
    const escaped = Array.from(JSON.stringify(plain).slice(1, -1), (unit) => {
      if (!random.chance(escaping) || unit === '\\' || unit.length > 1) return unit;
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
    // What stands behind a backslash is a part of it.
    const isSafe = !JSON.stringify(plain).includes('\\');
    return `"${isSafe ? escaped.join('') : JSON.stringify(plain).slice(1, -1)}"`;
  }

  function members(record: object): readonly string[] {
    const written = Object.entries(record).map(
      ([name, member]) => `${space()}${text(name)}${space()}:${write(member)}`,
    );
    if (written.length > 0 && isOdd()) {
      const [name] = random.pick(Object.entries(record));
      const escaped = `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`;
      const double = random.chance(0.5) ? text(name) : escaped;
      written.splice(random.int(0, written.length), 0, `${double}:${random.pick(oddValues)}`);
    }
    if (isOdd()) written.splice(random.int(0, written.length), 0, `"other":${random.pick(oddValues)}`);
    // Most records have their members in the order of the one before, and some do not.
    for (let moves = isShuffled && random.chance(0.5) ? random.int(1, written.length) : 0; moves > 0; moves--)
      written.splice(random.int(0, written.length - 1), 0, written.pop() as string);
    return isOdd() ? written.slice(1) : written;
  }

  function write(inner: unknown): string {
    if (isOdd()) return random.pick(oddValues);
    if (typeof inner === 'string') return `${space()}${text(inner)}${space()}`;
    if (typeof inner !== 'object' || inner === null) return `${space()}${JSON.stringify(inner)}${space()}`;
    if (!Array.isArray(inner)) return `${space()}{${members(inner).join(',')}${space()}}${space()}`;
    const isHeader = inner.length === 2 && inner.every((item) => typeof item === 'string');
    if (isHeader && random.chance(share * 20))
      return `[${space()}"${random.pick(headerNames)}",${random.pick(headerValues)}]`;
    return `${space()}[${inner.map(write).join(',')}${space()}]${space()}`;
  }

  return write(value);
}
