import fc from 'fast-check';
import { damagedText, headerText } from './text.ts';
import type { Handouts } from './value.ts';
import type { Header } from './wire.ts';

/** What a client may say that it takes. */
const accepts: readonly string[] = [
  '',
  ...'application/json application/graphql-response+json text/event-stream multipart/mixed */* text/html'.split(' '),
  ...'image/png application/*;q=0 APPLICATION/JSON ,;, application/json;q=0.1,text/event-stream;q=0.9'.split(' '),
  'multipart/mixed; deferSpec=20220824, application/json',
  'a'.repeat(5_000),
  'application/json, '.repeat(300),
];

/** What a client may say that a body is; mostly JSON, else nothing would be read. */
export const contentTypes: readonly string[] = [
  ...Array<string>(6).fill('application/json'),
  ...'application/json;charset=utf-8 Application/JSON application/json;charset=utf-16 application/json;charset="utf-8'.split(
    ' ',
  ),
  ...'application/graphql text/plain application/x-www-form-urlencoded multipart/form-data;boundary=x ;'.split(' '),
  'application/json, text/plain',
  '',
];

/** What a client may say that a body is packed in. */
export const contentEncodings: readonly string[] = ['gzip', 'br', 'deflate', 'identity', 'gzip, gzip', 'nonsense'];

/** Values that mean something to a server, by header. */
const meaningful: Readonly<Record<string, readonly string[]>> = {
  'x-explain': ['1', '0', '1, 1'],
  'x-cost': ['1', '0', '1, 1'],
  'accept-encoding': ['gzip', 'br', 'identity', 'br;q=0, gzip;q=9', '*'],
  expect: ['100-continue', 'nonsense'],
  connection: ['close', 'keep-alive', 'upgrade', 'x-request-id, authorization'],
  upgrade: ['websocket', 'h2c'],
};

/** Headers in which anything may stand. */
const free = 'x-request-id last-event-id origin cookie if-none-match range x-forwarded-for host __proto__'.split(' ');
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
  return fc
    .tuple(
      fc.array(
        fc.oneof(
          { arbitrary: fc.constantFrom(...accepts).map((value): Header => ['accept', value]), weight: 3 },
          { arbitrary: chosen, weight: 3 },
          { arbitrary: fc.tuple(fc.constantFrom(...free), headerText(longestValue)), weight: 3 },
          { arbitrary: goingOn(handouts), weight: 1 },
        ),
        { maxLength: 4 },
      ),
      fc.constantFrom(...Array<number>(9).fill(0), 50, 500, 2_500),
    )
    .map(([some, many]) => [...some, ...Array.from({ length: many }, (_, at): Header => [`x-${at}`, 'v'])]);
}
