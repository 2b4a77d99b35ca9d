import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digitsOf, FreeFormText, illFormedText, numberOf, parseExactly, parseJson } from '../../../src/json.ts';
import { readJson } from '../../../src/upstream/response/json-reader.ts';
import { textOf } from '../../../src/upstream/response/wire-response.ts';
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

const odd = ['', 'metadata', '__proto__', 'then', '"', '\\', '\u2028', '\ud83d', '\ude00', '😀', 'é', '\n', '},{"a":'];
const text = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'binary', maxLength: 12 }));
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
const { json } = fc.letrec<Record<'json' | 'scalar' | 'value' | 'key' | 'list' | 'object' | 'quoted', string>>(
  (tie) => ({
    quoted: fc.tuple(text, fc.integer({ min: 0, max: 3 })).map(([value, way]) => quotedIn(value, way)),
    scalar: fc.oneof(number, tie('quoted'), fc.constantFrom('true', 'false', 'null')),
    value: fc.tuple(blank, tie('json'), blank).map((parts) => parts.join('')),
    key: fc
      .tuple(blank, name, fc.integer({ min: 0, max: 3 }), blank)
      .map(([before, key, way, behind]) => before + quotedIn(key, way) + behind),
    list: fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
    object: fc
      .array(fc.tuple(tie('key'), tie('value')), { maxLength: 5 })
      .map((members) => `{${members.map((member) => member.join(':')).join(',')}}`),
    json: fc.oneof({ depthSize: 'medium', withCrossShrink: true }, tie('scalar'), tie('list'), tie('object')),
  }),
);

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
  instead: fc.constantFrom('', ...',][}{":\\-.e0\u0001\ufeff'.split(''), ',,', '\\u12', '\\ud83d', 'tru', '1 2'),
});

function damaged(whole: string, { at, length, instead }: { at: number; length: number; instead: string }): string {
  const from = at % (whole.length + 1);
  return whole.slice(0, from) + instead + whole.slice(from + length);
}

const stretches = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 80 }));

describe('a body that is read in stretches', () => {
  test('is what JSON.parse makes of it, and broken where JSON.parse finds it broken, be it UTF-8 or not', () => {
    const seen = { whole: 0, broken: 0 };
    const bytesHurt = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
    const hurts = [fc.option(damage, { freq: 2 }), fc.option(bytesHurt, { freq: 1 })] as const;
    fc.assert(
      fc.property(json, ...hurts, stretches, (whole, hurt, bytesToo, stretch) => {
        const bytes = Buffer.from(hurt === null ? whole : damaged(whole, hurt));
        for (const [at, byte] of bytesToo ?? []) bytes[at % bytes.length] = byte;
        const expected = attempt(() => parseJson(textOf(bytes)));
        seen[expected === broken ? 'broken' : 'whole']++;
        expect(written(attempt(() => readJson(bytes, { stretch })))).toBe(written(expected));
      }),
      { numRuns: runs(2_000) },
    );
    expect(seen.whole).toBeGreaterThan(200);
    expect(seen.broken).toBeGreaterThan(300);
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
});

test('of a large body, members with numbers for names are left out, for which V8 would make room for a thousand', () => {
  const rows = readJson(Buffer.from(`[{"1023":1,"a":2}${`,{"1023":1} ${' '.repeat(8)}`.repeat(60_000)}]`), {});
  expect((rows as object[]).slice(0, 2)).toEqual([{ a: 2 }, {}]);
});

describe('a body whose numbers are wanted as they were sent', () => {
  test('has them digit for digit, beside whatever else', () => {
    const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,12})?(?:[eE][+-]?\d{1,3})?$/);
    const other = fc.oneof(
      text.map((value) => JSON.stringify(value)),
      fc.constantFrom('true', 'null'),
    );
    const tokens = fc.array(fc.oneof(digits, digits, other), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(tokens, (all) => {
        const whole = `[${all.join(',')},{"a":${all[0]}}]`;
        expect(JSON.stringify(parseExactly(whole))).toBe(whole);
      }),
      { numRuns: 500 },
    );
    const values = Object.values(parseExactly('{"a":1.50,"b":7,"c":"1.50","d":1e400}') as object);
    expect(values.map(numberOf)).toEqual([1.5, 7, undefined, Infinity]);
  });

  const incomplete = ['{"a":1.0', '{1.5:1}', '{"a":1.5 "b"}', '{"a":1.}', '{"a":-}', '{"a":1.0,}', '{"a":1.0}"'];
  test.for([
    ...incomplete,
    // The second member of a name takes the place of the first.
    '{"a":-01.5,"a":1}',
    '{"a":[00],"b":1e5,"a":1}',
    `{"price":1.50,"id":${'1'.repeat(200_000)}x}`,
  ])('is no JSON: %s', (body) => {
    expect(() => parseExactly(body)).toThrow(SyntaxError);
  });
});

/** Whether each free-form text stands for the value in its place, number for number, and all else has the same members. */
function textsIn(read: unknown, exact: unknown): boolean {
  if (read === illFormedText) return true;
  const sent = JSON.stringify(exact);
  if (read instanceof FreeFormText) {
    const shown = Buffer.concat(read.pieces).toString('utf8');
    expect(JSON.stringify(parseExactly(shown))).toBe(sent);
    // JSON.stringify has escapes for halves alone.
    const hasHalf = /(?<!\\)(?:\\\\)*\\ud/.test(sent);
    expect([read.isWellFormed, hasHalf]).not.toEqual([true, true]);
  } else if (typeof read !== 'object' || read === null) {
    expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(sent)));
  } else if (digitsOf(read) !== undefined) {
    expect(JSON.stringify(read)).toBe(sent);
  } else {
    expect(Object.keys(read)).toEqual(Object.keys(exact as object));
    return Object.entries(read).every(([key, value]) => textsIn(value, (exact as Record<string, unknown>)[key]));
  }
  return true;
}
