import { Random } from '../../src/sandbox/random.ts';
import * as records from '../support/records.ts';
import {
  cutOff,
  hang,
  hangUp,
  pageReply,
  type Reply,
  type Script,
  type SeenRequest,
} from '../support/scripted-upstream.ts';
import { placesIn, withValue } from '../support/selection.ts';

const rowCount = 60;
const addresses = ['https://hooks.example.com/a', 'https://hooks.example.com/b', 'https://hooks.example.com/ab'];

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const momentOf = (index: number): string => `2026-10-02T14:${String(59 - (index % 60)).padStart(2, '0')}:11Z`;

const lists: Readonly<Record<string, (index: number) => records.JsonRecord>> = {
  '/ip_connections': (index) =>
    records.ipConnectionRecord({
      id: idOf(index),
      created_at: momentOf(index),
      webhook_event_url: addresses[index % 3],
    }),
  '/ai/missions': (index) => records.missionRecord({ mission_id: idOf(index), created_at: momentOf(index) }),
  '/webhook_deliveries': (index) =>
    records.webhookDeliveryRecord({
      id: idOf(index),
      started_at: momentOf(index),
      attempts: [records.attemptRecord({ http: { request: { url: addresses[index % 3], headers: [['A', 'b']] } } })],
    }),
};

const reports: Readonly<Record<string, () => records.JsonRecord>> = {
  '/charges_summary': () => records.chargesSummaryRecord(),
  '/charges_breakdown': () =>
    records.chargesBreakdownRecord({
      results: Array.from({ length: rowCount }, (_, index) =>
        records.chargesBreakdownResultRecord({ tn: `+1312555${1000 + index}` }),
      ),
    }),
};

// oxlint-disable-next-line unicorn/no-thenable
const oddities = [undefined, null, {}, [], 'text', 7, true, { then: 1 }, '', -1, 1e21, [[null]]];

/** A record with something else in one of its places, now and then. */
function mutated(record: records.JsonRecord, random: Random): records.JsonRecord {
  if (!random.chance(0.15)) return record;
  return withValue(record, random.pick(placesIn(record)), oddities[random.int(0, oddities.length - 1)]);
}

const errorBody = (code: string): unknown => ({
  errors: [{ code, title: 'No', detail: 'Not now.', source: { parameter: 'page[size]' } }],
});

const failures: readonly ((random: Random) => Reply)[] = [
  () => ({ status: 500, text: 'oops' }),
  () => ({ status: 503, headers: { 'retry-after': '0' }, text: '<html>busy</html>' }),
  (random) => ({
    status: random.pick([400, 401, 403, 404, 418, 422]),
    json: errorBody(random.pick(['10015', '10009', '7'])),
  }),
  () => ({ status: 422, json: { detail: [{ loc: ['query', 'page[size]'], msg: 'bad', type: 'value_error' }] } }),
  () => ({ status: 429, text: '' }),
  () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' } }),
  () => ({ text: '<html>hello</html>', headers: { 'content-type': 'text/html' } }),
  () => ({ text: '{"data":', headers: { 'content-type': 'application/json' } }),
  (random) => ({
    json: random.pick([null, [], 7, {}, { data: null }, { data: 'x' }, { data: [null, 7, []] }, { data: {} }]),
  }),
  () => ({ status: 204 }),
  () => cutOff('{"data":[', { headers: { 'content-type': 'application/json', 'content-length': '500' } }),
  () => hangUp,
  () => hang,
];

/** An upstream that replies well to three calls of four, and badly to the others, in every way there is; equal seeds, equal moods. */
export function moodyUpstream(seed: string): Script {
  const random = new Random(seed);
  return (request) => (random.chance(0.25) ? random.pick(failures)(random) : goodReply(request, random));
}

/** The reply of a healthy upstream; now and then a record has something odd in one of its places. */
export function goodReply(request: SeenRequest, random: Random): Reply {
  const { path, query } = request;
  const rowOf = lists[path];
  if (rowOf !== undefined)
    return pageReply(
      Array.from({ length: rowCount }, (_, index) => mutated(rowOf(index), random)),
      request,
    );
  if (query['format'] === 'csv') return { text: 'tn,cost\n+13125550123,1.00\n' };
  const report = reports[path];
  return report === undefined ? { status: 404, json: {} } : { json: { data: mutated(report(), random) } };
}
