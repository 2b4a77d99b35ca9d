import fc from 'fast-check';
import { describe } from 'vitest';
import { gatheredSlice, parsedSlice } from '../../../src/bounds.ts';
import { ReceivedBody } from '../../../src/upstream/response/received-body.ts';
import { parseInSlices } from '../../../src/upstream/response/sliced-report.ts';
import { expect, test } from '../../support/gateway.ts';
import { chargesBreakdownRecord, chargesBreakdownResultRecord } from '../../support/records.ts';

const atOnce = async (): Promise<void> => {};

function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Rows that look like the beginnings, the ends and the commas of others, in texts and in lists of their own.
const leaf = fc.constantFrom<unknown>('', '},{"tn":', ']', '"results":[', '{"tn":1},', 'é😀', 1, -0.5, null, true);
const inner = fc.record({ tn: leaf, results: fc.array(leaf, { maxLength: 2 }) }, { requiredKeys: [] });
const seldom = fc.oneof({ weight: 20, arbitrary: leaf }, { weight: 1, arbitrary: inner });
const row = fc.oneof(
  { weight: 20, arbitrary: fc.record({ tn: leaf, services: fc.array(seldom, { maxLength: 3 }) }) },
  { weight: 1, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(inner, { maxLength: 2 }) },
);
const report = fc.record({
  user: leaf,
  more: seldom,
  results: fc.array(row, { minLength: 3, maxLength: 12, size: 'max' }),
  end: leaf,
});
const body = fc
  .tuple(fc.dictionary(fc.constantFrom('meta', 'results'), inner, { maxKeys: 1 }), report)
  .map(([beside, data]) => ({ ...beside, data }));
const spaces = fc.constantFrom(undefined, 1, '\t', '\n  ');
// What is done to a body: a piece of it goes, comes twice, or becomes another.
const damage = fc.record({
  at: fc.nat(),
  length: fc.nat(12),
  instead: fc.constantFrom('', ',', ']', '[', '}', '"', ',,', '{"tn":', '"results":[', '"results":[],', '"data":{}'),
});

function damaged(text: string, { at, length, instead }: { at: number; length: number; instead: string }): string {
  const from = at % (text.length + 1);
  return text.slice(0, from) + instead + text.slice(from + length);
}

describe('a report that is parsed in slices', () => {
  test('is what JSON.parse makes of it, or is left to be parsed at once', async () => {
    let inSlices = 0;
    await fc.assert(
      fc.asyncProperty(
        body,
        spaces,
        fc.option(damage, { freq: 1 }),
        fc.integer({ min: 0, max: 80 }),
        async (value, space, hurt, size) => {
          const whole = JSON.stringify(value, null, space);
          const text = hurt === null ? whole : damaged(whole, hurt);
          let rests = 0;
          const rest = async (): Promise<void> => void rests++;
          const parsed = await parseInSlices(Buffer.from(text), 'results', rest, size);
          if (parsed === undefined) return;
          if (rests > 0) inSlices++;
          // In the order of its members too.
          expect(JSON.stringify(parsed)).toBe(JSON.stringify(parsedOrNothing(text)));
        },
      ),
      { numRuns: 5_000 },
    );
    expect(inSlices).toBeGreaterThan(500);
  });

  test('is left to be parsed at once where its list is not the one that was cut', async () => {
    const rows = Array.from({ length: 9 }, (_, tn) => `{"tn":${tn}}`).join();
    const bodies = [
      `{"data":{"results":[${rows}],"results":[7]}}`,
      `{"data":{"results":[${rows}]},"data":{"results":[7]}}`,
      `{"meta":{"results":[${rows}]},"data":{"results":[${rows}]}}`,
      `{"data":{"results":[,${rows}]}}`,
      `{"data":{"results":[${rows},,${rows}]}}`,
      `{"data":{"results":[${rows}]}`,
    ];
    for (const text of bodies) expect(await parseInSlices(Buffer.from(text), 'results', atOnce, 1)).toBeUndefined();
  });

  test('lets others have their turn as often as it has slices', async ({ gateway, upstream }) => {
    const results = Array.from({ length: 12_000 }, (_, index) => chargesBreakdownResultRecord({ tn: `+1312${index}` }));
    const text = JSON.stringify({ data: chargesBreakdownRecord({ results }) });
    let rests = 0;
    const parsed = await parseInSlices(Buffer.from(text), 'results', async () => void rests++);
    expect(parsed).toEqual(JSON.parse(text));
    expect(rests).toBe(Math.ceil(text.length / parsedSlice) - 1);
    expect(rests).toBeGreaterThan(1);
    upstream.script(() => ({ text, headers: { 'content-type': 'application/json' } }));
    const { data, errors } = await gateway.query(
      '{ chargesBreakdown(startDate: "2026-10-01") { results(last: 2) { totalCount nodes { tn } } } }',
    );
    expect(errors).toEqual([]);
    expect(data.chargesBreakdown.results).toEqual({
      totalCount: results.length,
      nodes: results.slice(-2).map(({ tn }) => ({ tn })),
    });
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('a large body that is put together', () => {
  test('lets others have their turn as often as its length asks for, and holds each byte', async () => {
    const chunks = (count: number): Buffer[] =>
      Array.from({ length: count }, (_, index) => Buffer.alloc(65_536 - (index % 7), `${index},`));
    const restsOf = async (parts: readonly Buffer[]): Promise<number> => {
      let rests = 0;
      const received = new ReceivedBody(parts);
      expect((await received.gather(async () => void rests++)).equals(Buffer.concat(parts))).toBe(true);
      expect(received.whole).toBe(await received.gather(() => Promise.reject(new Error('nothing is left to be done'))));
      return rests;
    };
    const perSlice = Math.ceil(gatheredSlice / 65_536);
    const [once, twice] = [await restsOf(chunks(3 * perSlice + 1)), await restsOf(chunks(6 * perSlice + 2))];
    expect(once).toBeGreaterThanOrEqual(2);
    expect(twice).toBeGreaterThanOrEqual(2 * once - 1);
    expect(await restsOf([Buffer.from('one chunk')])).toBe(0);
  });

  test('stays as it came where its caller leaves meanwhile', async () => {
    const parts = Array.from({ length: 3 }, (_, index) => Buffer.alloc(gatheredSlice, `${index}`));
    const received = new ReceivedBody(parts);
    await expect(received.gather(() => Promise.reject(new Error('left')))).rejects.toThrow('left');
    expect(received.whole.equals(Buffer.concat(parts))).toBe(true);
  });
});
