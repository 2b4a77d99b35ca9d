import fc from 'fast-check';
import { damagedText, headerText } from './text.ts';
import type { Handouts } from './value.ts';
import type { Header } from './wire.ts';

/** The common Accept headers, each with a form of response of its own. */
const commonAccepts: readonly string[] =
  'application/json application/graphql-response+json text/event-stream multipart/mixed */*'.split(' ');

/** Other headers of a client. */
const oddAccepts: readonly string[] = [
  '',
  ...'text/html image/png application/*;q=0 APPLICATION/JSON ,;, application/json;q=0.1,text/event-stream;q=0.9'.split(
    ' ',
  ),
  'multipart/mixed; deferSpec=20220824, application/json',
  'a'.repeat(5_000),
  'application/json, '.repeat(300),
];

/** Content types of a body; mostly JSON, else no body would be read. */
export const contentTypes: readonly string[] = [
  ...Array<string>(40).fill('application/json'),
  ...'application/json;charset=utf-8 Application/JSON application/json;charset=utf-16 application/json;charset="utf-8'.split(
    ' ',
  ),
  ...'application/graphql text/plain application/x-www-form-urlencoded multipart/form-data;boundary=x ;'.split(' '),
  'application/json, text/plain',
  '',
];

/** Content encodings of a body. */
export const contentEncodings: readonly string[] = ['gzip', 'br', 'deflate', 'identity', 'gzip, gzip', 'nonsense'];

const trace = (version: string, flags: string): string => [version, 'a'.repeat(32), 'b'.repeat(16), flags].join('-');

/** Values that mean something to a server, by header. */
const meaningful: Readonly<Record<string, readonly string[]>> = {
  'x-explain': ['1', '0', '1, 1'],
  'x-cost': ['1', '0', '1, 1'],
  'accept-encoding': [
    'gzip',
    'br',
    'zstd',
    'identity',
    'br;q=0, gzip;q=9',
    '*',
    'gzip;Q=0, *;q=0.1',
    'a;q=.1,'.repeat(1_500),
  ],
  traceparent: [
    trace('00', '01'),
    trace('00', '00'),
    trace('cc', '01'),
    trace('ff', '01'),
    trace('00', '01').toUpperCase(),
  ],
  tracestate: ['a=1,b=2', 'a=1,'.repeat(500), '=,=;'],
  'if-none-match': ['*', 'W/"', '""'.repeat(3_000)],
  'mcp-protocol-version': ['2026-07-28', '2025-11-25', '1999-01-01'],
  expect: ['100-continue', 'nonsense'],
  connection: ['close', 'keep-alive', 'upgrade', 'x-request-id, authorization'],
  upgrade: ['websocket', 'h2c'],
};

/** Headers in which anything may stand. */
const free =
  `x-request-id last-event-id origin cookie if-none-match range x-forwarded-for host __proto__ accept-encoding traceparent
  tracestate baggage user-agent x-client-name x-client-version apollographql-client-name graphql-client-version mcp-name`.split(
    /\s+/,
  );
const longestValue = 7_000;

const chosen: fc.Arbitrary<Header> = fc
  .constantFrom(...Object.entries(meaningful))
  .chain(([name, values]) => fc.constantFrom(...values).map((value): Header => [name, value]));

function goingOn({ eventIds, cursors }: Handouts): fc.Arbitrary<Header> {
  const id = fc.constantFrom(...eventIds, ...eventIds, ...eventIds, ...cursors).chain(damagedText);
  return id.map((text): Header => ['last-event-id', text.replace(/[^ -~]/g, '')]);
}

/** Headers besides those that every request has: few that mean something, or very many that mean nothing. */
export function requestHeaders(handouts: Handouts): fc.Arbitrary<readonly Header[]> {
  const accept = fc.oneof(
    { arbitrary: fc.constantFrom(...commonAccepts).map((value): readonly Header[] => [['accept', value]]), weight: 6 },
    { arbitrary: fc.constantFrom(...oddAccepts).map((value): readonly Header[] => [['accept', value]]), weight: 1 },
    { arbitrary: fc.constant([]), weight: 2 },
  );
  const others = fc.array(
    fc.oneof(
      { arbitrary: chosen, weight: 3 },
      { arbitrary: fc.tuple(fc.constantFrom(...free), headerText(longestValue)), weight: 3 },
      { arbitrary: goingOn(handouts), weight: 1 },
    ),
    { maxLength: 3 },
  );
  const many = fc
    .constantFrom(...Array<number>(27).fill(0), 50, 500, 2_500)
    .map((count) => Array.from({ length: count }, (_, at): Header => [`x-${at}`, 'v']));
  return fc.tuple(accept, others, many).map((lists) => lists.flat());
}
