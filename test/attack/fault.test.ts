import { expect, test } from 'vitest';
import type { Heard } from '../hostile/connection.ts';
import { faultOfCall } from './call-fault.ts';
import { faultsOf } from './fault.ts';
import { madeUpKey } from './key.ts';
import { faultOfMethod } from './method-fault.ts';
import { faultOfReckoning } from './reckoned-fault.ts';
import type { UpstreamResponse } from './upstream-response.ts';
import { faultsOfClient } from './upstream-attack.ts';
import type { StrangerRequest } from './wire.ts';

const request: StrangerRequest = {
  standing: 'made-up key',
  authorization: `Bearer ${madeUpKey}-7`,
  method: 'POST',
  target: '/graphql',
  headers: [],
  body: Buffer.from('{}'),
  framing: 'length',
  sending: 'whole',
  reading: 'all',
  dialect: 'HTTP/1.1',
};
const error = { message: 'No.', extensions: { code: 'BAD_USER_INPUT', retryable: false, requestId: 'r' } };

function heard(body: unknown, { status = 200, type = 'application/json' } = {}): Heard {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = { status, headers: new Map([['content-type', type]]), body: Buffer.from(text), isWhole: true };
  const rest = { end: 'answered', begun: null, unread: Buffer.alloc(0), bytes: text.length, milliseconds: 1 } as const;
  return { ...rest, responses: [response] };
}

const event = (result: unknown): string => `id: 1\n\nevent: next\ndata: ${JSON.stringify(result)}\n\n`;
const part = (result: unknown): string =>
  `\r\n---\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(result)}\r\n-----\r\n`;

test('a response that keeps all promises has no fault, whole, in pieces or as events', () => {
  const good = { data: null, errors: [error] };
  expect(faultsOf(request, heard(good))).toEqual([]);
  expect(faultsOf(request, heard(part(good), { type: 'multipart/mixed; boundary="-"' }))).toEqual([]);
  expect(faultsOf(request, heard(event(good), { type: 'text/event-stream' }))).toEqual([]);
  expect(faultsOf(request, heard('', { status: 431, type: '' }))).toEqual([]);
});

const bad: Readonly<Record<string, readonly [heard: Heard, promise: RegExp]>> = {
  'no response': [{ ...heard({}), end: 'left', responses: [] }, /answered/],
  'bytes that are no HTTP': [{ ...heard({ data: 1 }), unread: Buffer.from('SSH-2.0') }, /is HTTP/],
  'status 500': [heard({ errors: [error] }, { status: 500 }), /does not fail/],
  'no JSON': [heard('oops'), /shape/],
  'another type': [heard('oops', { status: 404, type: 'application/octet-stream' }), /shape/],
  'an error without a code': [heard({ errors: [{ message: 'No.' }] }), /shape/],
  'an unknown code in a piece': [
    heard(part({ incremental: [{ errors: [{ ...error, extensions: { ...error.extensions, code: 'X' } }] }] }), {
      type: 'multipart/mixed',
    }),
    /shape/,
  ],
  'an internal error in an event': [
    heard(event({ errors: [{ ...error, extensions: { ...error.extensions, code: 'INTERNAL_SERVER_ERROR' } }] }), {
      type: 'text/event-stream',
    }),
    /shape/,
  ],
  '101 errors': [heard({ errors: Array.from({ length: 101 }, () => error) }), /shape/],
  'a long message': [heard({ errors: [{ ...error, message: 'x'.repeat(2_000) }] }), /shape/],
  'too many bytes': [heard({ data: 'x'.repeat(262_144) }), /at most 262144 bytes/],
  'a stack trace': [heard({ data: `x\n    at f (a.ts:1)` }), /inside/],
  'the key in hexadecimal': [heard({ data: Buffer.from(madeUpKey).toString('hex') }), /reveals a key/],
};

test.for(Object.entries(bad))('faultsOf finds %s in the response to a stranger', ([, [answer, promise]]) => {
  expect(faultsOf(request, answer).map((fault) => fault.promise)).toContainEqual(expect.stringMatching(promise));
});

const cut: UpstreamResponse = {
  interim: [],
  statusLine: 'HTTP/1.1 200 OK',
  headers: [],
  what: '',
  body: () => Buffer.alloc(0),
  framing: 'too long',
  pieces: 1,
  pauseMs: 0,
  end: 'closes',
};
const whole: UpstreamResponse = { ...cut, framing: 'length' };
const query = '{ missions { totalCount } }';
const csv = '/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-11-01';
const key = 'upstream-victim-number-1';

test('faultsOfClient accepts data, and errors of the catalogue', () => {
  expect(faultsOfClient(query, whole, key, heard({ data: { missions: key } }))).toEqual([]);
  expect(faultsOfClient(query, cut, key, heard({ data: null, errors: [error] }))).toEqual([]);
});

const worse: Readonly<
  Record<string, readonly [what: string, answer: UpstreamResponse, heard: Heard, promise: RegExp]>
> = {
  'half a response taken for a whole one': [query, cut, heard({ data: {} }), /cut off/],
  'half a report taken for a whole one': [csv, cut, heard('tn,cost', { type: 'text/csv' }), /cut off/],
  'a query that failed': [query, whole, heard({ errors: [error] }, { status: 502 }), /is answered/],
  'no response at all': [query, whole, { ...heard({}), responses: [] }, /is answered/],
  "the upstream's cookie": [query, whole, heard({ data: 'secret-cookie' }), /secrets/],
  'the key in an error': [query, whole, heard({ errors: [{ ...error, message: key }] }), /reveals a key/],
};

test.for(Object.entries(worse))('faultsOfClient finds %s', ([, [what, answer, answered, promise]]) => {
  const faults = faultsOfClient(what, answer, key, answered);
  expect(faults.map((fault) => fault.promise)).toContainEqual(expect.stringMatching(promise));
});

const deliveries = '/webhook_deliveries';
test.for<[path: string, parameters: Readonly<Record<string, string>>, isSound: boolean]>([
  ['/ai/missions', { 'page[number]': '1', 'page[size]': '1000' }, true],
  ['/ai/missions', { 'page[number]': '0', 'page[size]': '20' }, false],
  ['/ai/missions', { 'page[size]': '1001' }, false],
  ['/ai/missions', { 'page[size]': '-0' }, false],
  ['/ai/missions', { 'page[size]': '1e2' }, false],
  ['/ai/missions', { sort: 'created_at' }, false],
  ['/ip_connections', { sort: '-active', 'filter[fqdn]': 'x'.repeat(4_096) }, true],
  ['/ip_connections', { 'filter[fqdn]': 'x'.repeat(4_097) }, false],
  ['/charges_summary', { start_date: '2026-10-01', end_date: '2026-11-01' }, true],
  ['/charges_summary', { start_date: '2026-10-01', end_date: '2026-11-02' }, false],
  ['/charges_summary', { start_date: '2026-10-01', end_date: '2026-10-01' }, false],
  ['/charges_summary', { start_date: '2026-02-30', end_date: '2026-03-01' }, false],
  [
    deliveries,
    { 'filter[started_at][gte]': '2026-10-01T02:00:00+02:00', 'filter[started_at][lte]': '2026-10-01T00:00:00Z' },
    true,
  ],
  [
    deliveries,
    { 'filter[started_at][gte]': '2026-10-01T02:00:00+01:00', 'filter[started_at][lte]': '2026-10-01T00:00:00Z' },
    false,
  ],
  [deliveries, { 'filter[finished_at][gte]': 'yesterday' }, false],
  ['/nothing', {}, false],
])('knows which calls the contract has: %s %j', ([path, parameters, isSound]) => {
  expect(faultOfCall({ path, query: parameters }) === null).toBe(isSound);
});

test.for<[method: string, target: string, status: number, allow: string | null, isRight: boolean]>([
  ['PUT', '/graphql', 405, 'GET, POST, QUERY', true],
  ['PUT', '/graphql?query={a}', 406, null, false],
  ['PUT', '/graphql', 405, null, false],
  ['POST', '/metrics', 405, 'GET, HEAD', true],
  ['POST', '/metrics', 405, 'GET, POST', false],
  ['GET', '/mcp', 200, null, false],
  ['OPTIONS', '/graphql', 204, null, true],
  ['TRACE', '/health', 431, null, true],
  ['TRACE', '/nothing', 404, null, true],
  ['PUT', 'constructor', 400, null, true],
  ['PUT', '__proto__', 404, null, true],
  ['GET', '/graphql', 200, null, true],
])('knows which methods are refused: %s %s with %i', ([method, target, status, allow, isRight]) => {
  const headers = new Map(allow === null ? [] : [['allow', allow]]);
  expect(faultOfMethod({ method, target }, { status, headers }) === null).toBe(isRight);
});

test.for<[what: string, data: object, isRight: boolean]>([
  ['nothing', { missions: null }, true],
  [
    'nothing known',
    { chargesBreakdown: { totals: { cost: null, byCostType: [{ cost: null }], byServiceOwner: null } } },
    true,
  ],
  [
    'exact sums',
    {
      chargesBreakdown: {
        totals: { cost: '0.30', byCostType: [{ cost: '0.1' }, { cost: '0.2' }], byServiceOwner: [{ cost: '3e-1' }] },
      },
    },
    true,
  ],
  [
    'another sum',
    {
      chargesBreakdown: {
        totals: { cost: '0.3', byCostType: [{ cost: '0.3' }], byServiceOwner: [{ cost: '0.30000000000000004' }] },
      },
    },
    false,
  ],
  [
    'the dearest first',
    { chargesBreakdown: { dearest: { nodes: [{ cost: '1e3' }, { cost: '999.9' }, { cost: null }] } } },
    true,
  ],
  ['a dearer one behind', { chargesBreakdown: { dearest: { nodes: [{ cost: '9' }, { cost: '10' }] } } }, false],
  ['an unknown one before', { chargesBreakdown: { dearest: { nodes: [{ cost: null }, { cost: '10' }] } } }, false],
  ['durations', { webhookDeliveries: { nodes: [{ durationMs: -5 }, { durationMs: null }, null] } }, true],
  ['half a millisecond', { webhookDeliveries: { nodes: [{ durationMs: 0.5 }] } }, false],
])('knows what agrees with itself: %s', ([, data, isRight]) => {
  expect(faultOfReckoning(data) === null).toBe(isRight);
});
