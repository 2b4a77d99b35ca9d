import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Random } from '../../src/sandbox/random.ts';
import { spellingsOf } from '../fuzz/canary.ts';
import { goodReply } from '../fuzz/moody-upstream.ts';
import type { SeenRequest } from '../support/scripted-upstream.ts';
import { placesIn, withValue } from '../support/selection.ts';
import { hostileText, units } from './text.ts';
import { anyValue } from './value.ts';
import type { Header } from './wire.ts';

/** How an upstream ends what it says. */
export type UpstreamEnd = 'keeps the connection' | 'closes' | 'resets' | 'says no more';

/** How the length of an upstream's body is told, truly or not. */
export type UpstreamFraming =
  'length' | 'chunked' | 'until close' | 'too long' | 'too short' | 'both' | 'two lengths' | 'no last chunk';

/** What the body is made of, for the request that it answers. */
export type UpstreamBody = (request: SeenRequest) => Buffer;

/** An answer of an upstream that does whatever it likes. */
export interface UpstreamAnswer {
  readonly interim: readonly string[];
  readonly statusLine: string;
  readonly headers: readonly Header[];
  /** Says what it is, for reports. */
  readonly what: string;
  readonly body: UpstreamBody;
  readonly framing: UpstreamFraming;
  /** How many pieces it comes in, so many milliseconds apart. */
  readonly pieces: number;
  readonly pauseMs: number;
  readonly end: UpstreamEnd;
}

const statuses = [
  ...Array<string>(12).fill('200 OK'),
  ...'201,202,204,205,206,207,226,299,300,301,302,304,307,308,400,401,403,404,405,408,418,422,429,451,499,500,501,502,503,504,599,600,700,999'.split(
    ',',
  ),
  '200',
  `200 ${'x'.repeat(5_000)}`,
  '-200 OK',
  '2000 OK',
  'OK',
];
const versions = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2', 'ICY', 'http/1.1'];
const interims = [
  'HTTP/1.1 100 Continue',
  'HTTP/1.1 103 Early Hints\r\nlink: </a>',
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c',
];

const headerValues: Readonly<Record<string, readonly string[]>> = {
  'content-type': [
    'application/json',
    'application/json; charset=utf-16',
    'text/html',
    'text/csv',
    'text/event-stream',
    '',
  ],
  'content-encoding': ['gzip', 'br', 'zstd', 'deflate', 'identity', 'nonsense', 'gzip, br'],
  location: ['http://127.0.0.1:9/', '/v2/ip_connections', 'file:///etc/passwd', ''],
  'retry-after': ['0', '1', '-1', '99999999999999999999', 'Wed, 21 Oct 2099 07:28:00 GMT', 'soon', '1e9', ''],
  'x-ratelimit-remaining': ['0', '-1', 'x', '9'.repeat(400)],
  'x-ratelimit-reset': ['0', '1', '99999999999', '-5', 'x'],
  'set-cookie': ['secret-cookie=1', 'a=b; Path=/'],
  connection: ['close', 'keep-alive', 'upgrade'],
  'keep-alive': ['timeout=0', 'timeout=99999', 'x'],
  trailer: ['x-trailer'],
  'www-authenticate': ['Basic realm="x"'],
  'content-disposition': ['attachment; filename="../../x"'],
  'content-range': ['bytes 0-1/9'],
  date: ['yesterday'],
  age: ['-1'],
};

const chosenHeader: fc.Arbitrary<Header> = fc
  .constantFrom(...Object.entries(headerValues))
  .chain(([name, values]) => fc.constantFrom(...values).map((value): Header => [name, value]));
const oddHeader: fc.Arbitrary<Header> = fc
  .tuple(
    fc.constantFrom('x-a', 'x-request-id', '__proto__', 'constructor', 'x'.repeat(3_000), 'bad name', ''),
    hostileText(20_000),
  )
  .map(([name, value]) => [name, value]);

const headers: fc.Arbitrary<readonly Header[]> = fc
  .tuple(
    fc.array(fc.oneof({ arbitrary: chosenHeader, weight: 4 }, { arbitrary: oddHeader, weight: 1 }), { maxLength: 4 }),
    fc.constantFrom(...Array<number>(9).fill(0), 100, 1_500),
  )
  .map(([some, many]) => [...some, ...Array.from({ length: many }, (_, at): Header => [`x-${at}`, 'v'])]);

const good = (request: SeenRequest): unknown => {
  const random = new Random('good');
  random.chance = () => false;
  const { json, text = '' } = goodReply(request, random);
  return json ?? text;
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

interface Content {
  readonly what: string;
  readonly body: UpstreamBody;
}

const content = (what: string, make: (request: SeenRequest) => string | Buffer): Content => ({
  what,
  body: (request) => Buffer.from(make(request) as string),
});

/** One record of a good answer, or a part of one, with something else in its place. */
const mutated: fc.Arbitrary<Content> = fc.tuple(fc.nat(), anyValue).map(([place, value]) =>
  content(`good, with ${textOf(value).slice(0, 60)} in place ${place}`, (request) => {
    const answer = good(request);
    if (typeof answer === 'string') return answer;
    const places = placesIn(answer as never);
    return JSON.stringify(withValue(answer as never, places[place % places.length] as never, value));
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

const contents: fc.Arbitrary<Content> = fc.oneof(
  { arbitrary: mutated, weight: 5 },
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

/** Anything that an upstream may answer. */
export const upstreamAnswer: fc.Arbitrary<UpstreamAnswer> = fc
  .record({
    interim: fc.oneof(
      { arbitrary: fc.constant([]), weight: 9 },
      { arbitrary: fc.array(fc.constantFrom(...interims), { maxLength: 3 }), weight: 1 },
    ),
    statusLine: fc.tuple(fc.constantFrom(...versions), fc.constantFrom(...statuses)).map((parts) => parts.join(' ')),
    headers,
    content: contents,
    pack: fc.constantFrom(...packs),
    framing: fc.constantFrom<UpstreamFraming>(
      'length',
      'length',
      'length',
      'length',
      'chunked',
      'chunked',
      'until close',
      'too long',
      'too short',
      'both',
      'two lengths',
      'no last chunk',
    ),
    pieces: fc.constantFrom(1, 1, 1, 2, 7, 300),
    pauseMs: fc.constantFrom(0, 1, 5, 40),
    end: fc.constantFrom<UpstreamEnd>(
      'keeps the connection',
      'keeps the connection',
      'closes',
      'closes',
      'resets',
      'says no more',
    ),
  })
  .map(({ content: { what, body }, pack: [how, pack], ...rest }) => ({
    ...rest,
    what: what + how,
    body: (request) => pack(body(request)),
  }));

/** Whether nobody can take the answer for a whole one: its connection ends before what was told has come. */
export function isCutOff({ framing, end }: UpstreamAnswer): boolean {
  const isEnded = end === 'closes' || end === 'resets';
  return isEnded && (framing === 'too long' || framing === 'no last chunk');
}

/** An answer as a report shows it. */
export function describeAnswer({ body: _body, ...answer }: UpstreamAnswer): string {
  const shown = answer.headers.map(([name, value]) => [name.slice(0, 40), value.slice(0, 60)].join(': '));
  return JSON.stringify({ ...answer, statusLine: answer.statusLine.slice(0, 60), headers: shown.slice(0, 12) });
}
