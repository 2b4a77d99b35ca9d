import fc from 'fast-check';
import { hostileText } from './text.ts';
import { upstreamContent, type Content } from './upstream-content.ts';
import type { Header } from './wire.ts';

/** How an upstream ends its response. */
export type UpstreamEnd = 'keeps the connection' | 'closes' | 'resets' | 'says no more';

/** How an upstream declares the length of its body, truly or not. */
export type UpstreamFraming =
  'length' | 'chunked' | 'until close' | 'too long' | 'too short' | 'both' | 'two lengths' | 'no last chunk';

/** Any response of an upstream. */
export interface UpstreamResponse extends Content {
  readonly interim: readonly string[];
  readonly statusLine: string;
  readonly headers: readonly Header[];
  readonly framing: UpstreamFraming;
  /** How many pieces the body has; they come so many milliseconds apart. */
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

/** Any response that an upstream may send. */
export const upstreamResponse: fc.Arbitrary<UpstreamResponse> = fc
  .record({
    interim: fc.oneof(
      { arbitrary: fc.constant([]), weight: 9 },
      { arbitrary: fc.array(fc.constantFrom(...interims), { maxLength: 3 }), weight: 1 },
    ),
    statusLine: fc.tuple(fc.constantFrom(...versions), fc.constantFrom(...statuses)).map((parts) => parts.join(' ')),
    headers,
    content: upstreamContent,
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
  .map(({ content, ...rest }) => ({ ...rest, ...content }));

/** Whether the response is visibly cut off: its connection ends before the declared length. */
export function isCutOff({ framing, end }: UpstreamResponse): boolean {
  const isEnded = end === 'closes' || end === 'resets';
  return isEnded && (framing === 'too long' || framing === 'no last chunk');
}

/** A response as a report shows it. */
export function describeResponse({ body: _body, ...response }: UpstreamResponse): string {
  const shown = response.headers.map(([name, value]) => [name.slice(0, 40), value.slice(0, 60)].join(': '));
  return JSON.stringify({ ...response, statusLine: response.statusLine.slice(0, 60), headers: shown.slice(0, 12) });
}
