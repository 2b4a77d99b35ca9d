import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

interface Csv {
  readonly rows: readonly (readonly string[])[];
  readonly count: number;
}

// A script of the page, which has no types.
const { parseCsv } = (await import(new URL('../../src/explorer/graphiql-lists.js', import.meta.url).href)) as {
  readonly parseCsv: (text: string, most: number) => Csv;
};

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\r', '\n', ' ', '😀', '=', '') });
const row = fc.array(cell, { minLength: 1, maxLength: 5 });

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

describe('the CSV table of GraphiQL', () => {
  test('reads what RFC 4180 writes, whatever ends the lines', () => {
    const ends = fc.constantFrom('\r\n', '\n', '\r');
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), ends, fc.boolean(), (rows, end, isClosed) => {
        const text = rows.map((cells) => cells.map(quoted).join(',')).join(end) + (isClosed ? end : '');
        expect(parseCsv(text, Infinity)).toEqual({ rows, count: rows.length });
      }),
    );
  });

  test('keeps the first rows, and counts all', () => {
    fc.assert(
      fc.property(fc.array(row), fc.nat(6), (rows, most) => {
        const text = rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
        expect(parseCsv(text, most)).toEqual({ rows: rows.slice(0, most), count: rows.length });
      }),
    );
  });

  test('ends for any text, and loses none of its plain characters', () => {
    const plain = (text: string): string => text.replaceAll(/["\r\n,]/g, '');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '"', ',', '\r', '\n') }), (text) => {
        const { rows, count } = parseCsv(text, Infinity);
        expect(rows).toHaveLength(count);
        expect(plain(rows.flat().join(''))).toBe(plain(text));
      }),
    );
  });

  test.for([
    ['', []],
    ['a,b', [['a', 'b']]],
    [
      'a,\n,b\n',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['a\n\nb', [['a'], [''], ['b']]],
    ['\uFEFFa\r\n"b"', [['a'], ['b']]],
    ['"never closed,\n', [['never closed,\n']]],
    ['"a"b,c', [['ab', 'c']]],
    ['a"b",c', [['a"b"', 'c']]],
  ] as const)('reads %j', ([text, rows]) => {
    expect(parseCsv(text, Infinity).rows).toEqual(rows);
  });
});
