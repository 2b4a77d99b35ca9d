import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digitsOf, FreeFormText, illFormedText, parseExactly, parseJson } from '../../../src/json.ts';
import { readJson } from '../../../src/upstream/response/json-reader.ts';
import { textOf } from '../../../src/upstream/response/received-body.ts';
import { runs } from '../../support/runs.ts';

const broken = Symbol('broken');

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) return broken;
    throw error;
  }
}

/** In the order of its members too, with numbers as doubles: an integer that none can hold is read digit for digit. */
function written(value: unknown): unknown {
  return value === broken ? broken : JSON.stringify(JSON.parse(JSON.stringify(value)));
}

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'metadata',
    '__proto__',
    'then',
    '"',
    '\\',
    '\u2028',
    '\ud83d',
    '\ude00',
    '😀',
    'é',
    '語',
    '\n',
    '],',
    '},{"a":',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
// V8 14.6 reads the name "\n" as "\\" where it has met an object with that name before.
const name = fc.oneof(
  text.filter((value) => !value.includes('\\')),
  fc.nat(12).map(String),
  fc.constantFrom('01', '4294967294', '4294967295', '-1'),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('0', '-0', '1.0', '1e5', '1E+2', '12345678901234567890', '0.1e-7', '-1.50', '1e400', '100'),
);
const blank = fc.constantFrom('', '', '', ' ', '\n  ', '\t\r');

/** A text of JSON as anybody may write it. */
const { json } = fc.letrec<{ json: string; scalar: string; list: string; object: string; quoted: string }>((tie) => ({
  quoted: fc.tuple(text, fc.integer({ min: 0, max: 3 })).map(([value, way]) => quotedIn(value, way)),
  scalar: fc.oneof(number, tie('quoted'), fc.constantFrom('true', 'false', 'null')),
  list: fc
    .array(fc.tuple(blank, tie('json'), blank), { maxLength: 5 })
    .map((items) => `[${items.map((parts) => parts.join('')).join(',')}]`),
  object: fc
    .array(fc.tuple(blank, name, fc.integer({ min: 0, max: 3 }), blank, blank, tie('json'), blank), { maxLength: 5 })
    .map(
      (members) =>
        `{${members.map(([a, key, way, b, c, value, d]) => `${a}${quotedIn(key, way)}${b}:${c}${value}${d}`).join(',')}}`,
    ),
  json: fc.oneof({ depthSize: 'medium', withCrossShrink: true }, tie('scalar'), tie('list'), tie('object')),
}));

function quotedIn(value: string, way: number): string {
  if (way === 0) return JSON.stringify(value);
  if (way === 1) return JSON.stringify(value).replaceAll('/', '\\/');
  const escaped = value.split('').map((one) => (way === 2 && /[a-z]/.test(one) ? one : escapedOf(one)));
  return `"${escaped.join('')}"`;
}

function escapedOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const damage = fc.record({
  at: fc.nat(),
  length: fc.nat(3),
  instead: fc.constantFrom(
    '',
    ',',
    ']',
    '[',
    '}',
    '{',
    '"',
    ':',
    ',,',
    '\\',
    '\\u12',
    '\\ud83d',
    '-',
    '.',
    'e',
    '0',
    'tru',
    '\u0001',
    '\ufeff',
    '1 2',
  ),
});

function damaged(whole: string, { at, length, instead }: { at: number; length: number; instead: string }): string {
  const from = at % (whole.length + 1);
  return whole.slice(0, from) + instead + whole.slice(from + length);
}

const stretches = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 80 }));

describe('a body that is read in stretches', () => {
  test('is what JSON.parse makes of it, and broken where JSON.parse finds it broken', () => {
    const seen = { whole: 0, broken: 0 };
    fc.assert(
      fc.property(json, fc.option(damage, { freq: 2 }), stretches, (whole, hurt, stretch) => {
        const given = hurt === null ? whole : damaged(whole, hurt);
        const bytes = Buffer.from(given);
        const expected = attempt(() => parseJson(bytes.toString('utf8')));
        seen[expected === broken ? 'broken' : 'whole']++;
        expect(written(attempt(() => readJson(bytes, { stretch })))).toBe(written(expected));
      }),
      { numRuns: runs(1_200) },
    );
    expect(seen.whole).toBeGreaterThan(200);
    expect(seen.broken).toBeGreaterThan(300);
  });

  test('is broken by any one part that is too many, missing or another, where JSON.parse finds so', () => {
    const parts = ['{', '}', '[', ']', ',', ':', '"a"', '1', 'true', ''];
    const wholes = [
      ['{', '"a"', ':', '1', ',', '"b"', ':', '{', '}', '}'],
      ['[', '1', ',', '[', ']', ',', '"a"', ']'],
      ['[', '{', '"a"', ':', '[', '1', ']', '}', ',', 'null', ']'],
      ['{', '"a"', ':', '"b"', '}'],
      ['-1.5e3'],
    ];
    for (const whole of wholes)
      for (let at = 0; at <= whole.length; at++)
        for (const part of parts)
          for (const removed of [0, 1]) {
            const given = whole.toSpliced(at, removed, part).join(' ');
            const expected = attempt(() => JSON.parse(given));
            expect([given, written(attempt(() => readJson(Buffer.from(given), {})))]).toEqual([
              given,
              written(expected),
            ]);
          }
  });

  test('is read as well where its bytes are no UTF-8', () => {
    fc.assert(
      fc.property(
        json,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
        stretches,
        (whole, hurts, stretch) => {
          const bytes = Buffer.from(whole);
          for (const [at, byte] of hurts) bytes[at % bytes.length] = byte;
          const expected = attempt(() => parseJson(textOf(bytes)));
          expect(written(attempt(() => readJson(bytes, { stretch })))).toBe(written(expected));
        },
      ),
      { numRuns: runs(600) },
    );
  });

  test('has free-form objects as text that stands for them, number for number', () => {
    let freeForms = 0;
    fc.assert(
      fc.property(json, json, fc.option(damage, { freq: 1 }), stretches, (first, second, hurt, stretch) => {
        const whole = `{"data":[{"metadata":${first},"id":1},{"a":{"metadata" : {"x":${second}}}}]}`;
        const bytes = Buffer.from(hurt === null ? whole : damaged(whole, hurt));
        const expected = attempt(() => parseExactly(bytes.toString('utf8')));
        const read = attempt(() => readJson(bytes, { freeForm: 'metadata', stretch }));
        if (expected === broken || read === broken) return expect(read).toBe(expected);
        freeForms++;
        expect(textsIn(read, expected)).toBe(true);
        return undefined;
      }),
      { numRuns: runs(600) },
    );
    expect(freeForms).toBeGreaterThan(200);
  });

  test('has members of free-form objects in the order in which they came, without blanks and needless escapes', () => {
    const metadata = '{ "b" : 1.0,"2":[ 1e5 , -0 ],"1":"\\u0041\\n", "b":{"x":{}} }';
    const { metadata: read } = readJson(Buffer.from(`{"metadata":${metadata}}`), {
      freeForm: 'metadata',
      stretch: 4,
    }) as {
      readonly metadata: FreeFormText;
    };
    expect(Buffer.concat(read.pieces).toString()).toBe('{"b":1.0,"2":[1e5,-0],"1":"A\\n","b":{"x":{}}}');
  });
});

/** Whether each free-form text stands for the value in its place, number for number, and all else has the same members. */
function textsIn(read: unknown, exact: unknown): boolean {
  if (read instanceof FreeFormText) {
    const shown = Buffer.concat(read.pieces).toString('utf8');
    expect(JSON.stringify(parseExactly(shown))).toBe(JSON.stringify(exact));
    return true;
  }
  if (read === illFormedText) return true;
  if (typeof read === 'object' && digitsOf(read) !== undefined) {
    expect(JSON.stringify(read)).toBe(JSON.stringify(exact));
    return true;
  }
  if (typeof read !== 'object' || read === null) {
    expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(JSON.stringify(exact))));
    return true;
  }
  expect(Object.keys(read)).toEqual(Object.keys(exact as object));
  return Object.entries(read).every(([key, value]) => textsIn(value, (exact as Record<string, unknown>)[key]));
}
