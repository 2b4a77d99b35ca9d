import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Random } from '../../src/sandbox/random.ts';
import { spellingsOf } from '../fuzz/canary.ts';
import { goodReply } from '../fuzz/moody-upstream.ts';
import {
  attemptRecord,
  chargesBreakdownRecord,
  chargesBreakdownResultRecord,
  webhookDeliveryRecord,
} from '../support/records.ts';
import { pageReply, type SeenRequest } from '../support/scripted-upstream.ts';
import { placesIn, withValue } from '../support/selection.ts';
import { hostileText, units } from './text.ts';
import { anyValue } from './value.ts';

/** The body for a request. */
export type UpstreamBody = (request: SeenRequest) => Buffer;

const good = (request: SeenRequest): unknown => {
  const random = new Random('good');
  random.chance = () => false;
  const { json, text = '' } = goodReply(request, random);
  return json ?? text;
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A body, and what it is, for reports. */
export interface Content {
  readonly what: string;
  readonly body: UpstreamBody;
}

const content = (what: string, make: (request: SeenRequest) => string | Buffer): Content => ({
  what,
  body: (request) => Buffer.from(make(request) as string),
});

/** A good response with something else in place of one record, or of a part of one. */
const mutated: fc.Arbitrary<Content> = fc.tuple(fc.nat(), anyValue).map(([place, value]) =>
  content(`good, with ${textOf(value).slice(0, 60)} in place ${place}`, (request) => {
    const answer = good(request);
    if (typeof answer === 'string') return answer;
    const places = placesIn(answer as never);
    return JSON.stringify(withValue(answer as never, places[place % places.length] as never, value));
  }),
);

const raws: readonly string[] = [
  ...'1e400 -0 -1e-400 01 1. NaN "\\ud800" "\\u0000" {"a":1,"a":2} {"__proto__":{"a":1}} {"then":1} [,]'.split(' '),
  '1'.repeat(200_000),
  `0.${'1'.repeat(200_000)}`,
  `"${'\\u00e9'.repeat(100_000)}"`,
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`,
];

/** The same with JSON that no value of JavaScript is written as. */
const raw: fc.Arbitrary<Content> = fc.tuple(fc.nat(), fc.constantFrom(...raws)).map(([place, text]) =>
  content(`good, with ${text.slice(0, 60)} in place ${place}`, (request) => {
    const answer = good(request);
    if (typeof answer === 'string') return answer;
    const places = placesIn(answer as never);
    return JSON.stringify(withValue(answer as never, places[place % places.length] as never, '@@')).replace(
      '"@@"',
      text,
    );
  }),
);

const many = fc
  .tuple(
    fc.constantFrom('[', '{"a":', '{},', 'null,', '"x",', '1,', '{"code":"10007","title":"x"},'),
    fc.constantFrom(10, 1_000, 20_000, 400_000),
  )
  .map(([unit, count]) => content(`{"data":[ and ${count} times ${unit}`, () => `{"data":[${unit.repeat(count)}`));

const rows = fc
  .constantFrom(0, 251, 5_000, 40_000)
  .map((count) =>
    content(
      `${count} empty rows`,
      () => `{"data":[${Array(count).fill('{}').join(',')}],"meta":{"total_results":${count}}}`,
    ),
  );

const keyOf = ({ headers: { authorization = '' } }: SeenRequest): string => authorization.replace(/^Bearer /, '');

// Somewhat more than is read.
const largest = 5_000_000;

const floods = fc
  .tuple(
    fc.constantFrom(1, 49, 101, 5_000),
    hostileText(20_000),
    fc.constantFrom('errors', 'detail'),
    fc.nat({ max: 8 }),
  )
  .map(([count, detail, dialect, spelling]) =>
    content(`${count} errors of ${detail.slice(0, 30)}`, (request) => {
      const spellings = spellingsOf(keyOf(request));
      const text = `${detail} ${spellings[spelling % spellings.length]}`;
      const entry =
        dialect === 'errors'
          ? {
              code: '10015',
              title: text,
              detail: text,
              source: { pointer: text, parameter: text },
              meta: { url: text },
            }
          : { loc: ['query', text, 7, null, {}], msg: text, type: text };
      const most = Math.min(count, Math.ceil(largest / JSON.stringify(entry).length));
      return JSON.stringify({ [dialect]: Array.from({ length: most }, () => entry) });
    }),
  );

const meta = fc.tuple(anyValue, anyValue, anyValue, anyValue).map(([total, pages, number, size]) =>
  content(`good, with meta of its own: ${textOf([total, pages, number, size]).slice(0, 100)}`, (request) => {
    const answer = good(request);
    if (typeof answer === 'string') return answer;
    return JSON.stringify({
      ...(answer as object),
      meta: { total_results: total, total_pages: pages, page_number: number, page_size: size },
    });
  }),
);

const decimals: readonly string[] = [
  ...'0 -0 1.10 -3.5 1e3 1E-3 1e308 1e1000 1e999999 -1e-999999 NaN Infinity +1 .5 5. 0x10 1,000 1e'.split(' '),
  '',
  ' 1',
  '9'.repeat(1_000),
  `0.${'0'.repeat(999)}1`,
  `1${'0'.repeat(100_000)}`,
];

/** A report whose costs are odd, each for itself and together: they are added up, and sorted by. */
const costs = fc
  .tuple(
    fc.array(fc.constantFrom(...decimals), { minLength: 1, maxLength: 4 }),
    fc.constantFrom(1, 60, 3_000, 30_000),
    fc.constantFrom(1, 3, 700),
  )
  .map(([texts, count, kinds]) =>
    content(`${count} numbers of ${kinds} kinds that cost ${textOf(texts).slice(0, 100)}`, (request) => {
      if (request.path !== '/charges_breakdown') return textOf(good(request));
      const numbers = Array.from({ length: Math.min(count, mostNumbers(texts)) }, (_, at) =>
        chargesBreakdownResultRecord({
          tn: `+1${at}`,
          service_owner_email: `owner-${at % kinds}@example.com`,
          services: texts.map((cost) => ({ cost_type: `KIND-${at % kinds}`, name: 'n', cost })),
        }),
      );
      return JSON.stringify({ data: chargesBreakdownRecord({ results: numbers }) });
    }),
  );

function mostNumbers(texts: readonly string[]): number {
  const around = 300;
  return Math.ceil(largest / (around + texts.join('').length));
}

const moments: readonly unknown[] = [
  ...'0000-01-01T00:00:00Z 9999-12-31T23:59:59.999999999Z 2026-10-01T00:00:00Z 2026-10-01T00:00:00.0001Z'.split(' '),
  ...'2026-10-01T02:00:00+02:00 2026-09-06T00:00:00-23:59 2026-10-01T23:59:60Z 2026-10-01 2026-10-01T00:00:00'.split(
    ' ',
  ),
  `2026-10-01T00:00:00.${'9'.repeat(5_000)}Z`,
  'now',
  '',
  null,
  1_790_000_000,
];

/** Deliveries that end before they begin, last for ever, or have no such moments: their durations are reckoned. */
const times = fc
  .array(fc.tuple(fc.constantFrom(...moments), fc.constantFrom(...moments)), { minLength: 1, maxLength: 60 })
  .map((pairs) =>
    content(`deliveries at ${textOf(pairs).slice(0, 200)}`, (request) => {
      if (request.path !== '/webhook_deliveries') return textOf(good(request));
      const deliveries = pairs.map(([started_at, finished_at], at) => {
        const attempts = [attemptRecord({ started_at, finished_at }), attemptRecord({ started_at: finished_at })];
        return webhookDeliveryRecord({ id: `d${at}`, started_at, finished_at, attempts });
      });
      return textOf(pageReply(deliveries, request).json);
    }),
  );

const plain: fc.Arbitrary<Content> = fc.oneof(
  { arbitrary: costs, weight: 3 },
  { arbitrary: times, weight: 3 },
  { arbitrary: mutated, weight: 5 },
  { arbitrary: raw, weight: 3 },
  { arbitrary: meta, weight: 3 },
  { arbitrary: floods, weight: 3 },
  { arbitrary: many, weight: 2 },
  { arbitrary: rows, weight: 1 },
  { arbitrary: fc.constant(content('good', (request) => textOf(good(request)))), weight: 2 },
  {
    arbitrary: anyValue.map((value) =>
      content(`data ${textOf(value).slice(0, 60)}`, () => JSON.stringify({ data: value })),
    ),
    weight: 2,
  },
  { arbitrary: hostileText(100_000).map((text) => content(`text ${text.slice(0, 60)}`, () => text)), weight: 2 },
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...units), fc.constantFrom(largest))
      .map(([unit, length]) =>
        content(`${length} characters of ${unit}`, () => `{"data":"${unit.repeat(length / unit.length)}"}`),
      ),
    weight: 1,
  },
);

type Pack = readonly [what: string, pack: (body: Buffer) => Buffer];
const packs: readonly Pack[] = [
  ...Array.from({ length: 12 }, (): Pack => ['', (body) => body]),
  [', behind a BOM', (body) => Buffer.concat([Buffer.from('\uFEFF'), body])],
  [', in UTF-16', (body) => Buffer.from(body.toString(), 'utf16le')],
  [', with a NUL', (body) => Buffer.concat([body, Buffer.from([0])])],
  [', with bad UTF-8', (body) => Buffer.from(body.toString('latin1').replace(/e/g, '\xFF'), 'latin1')],
  [', cut', (body) => body.subarray(0, Math.floor(body.length / 2))],
  [', gzipped', (body) => gzipSync(body)],
  [', in brotli', (body) => brotliCompressSync(body.subarray(0, 100_000))],
];

/** The bodies of an upstream: good ones, ones with something odd in one place, floods, and what is none; packed in every way. */
export const upstreamContent: fc.Arbitrary<Content> = fc
  .tuple(plain, fc.constantFrom(...packs))
  .map(([{ what, body }, [how, pack]]) => ({ what: what + how, body: (request) => pack(body(request)) }));
