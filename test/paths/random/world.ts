import { Random } from '../../../src/sandbox/random.ts';
import * as records from '../../support/records.ts';
import { hangUp, pageReply, type Reply, type Script, type SeenRequest } from '../../support/scripted-upstream.ts';
import { placesIn, withValue } from '../../support/records.ts';

/** An upstream that says the same to the same request as often as it is asked; null where it hangs up. */
export type World = (request: SeenRequest) => ReturnType<typeof answerOf> | null;

type Mood = Readonly<ReturnType<typeof moodOf>>;

/** How well an upstream is. */
function moodOf(random: Random) {
  return {
    rowCount: random.pick([0, 1, 3, 3, 5, 8, 30]),
    /** The share of records with something odd in some of their places. */
    oddRecords: random.pick([0, 0, 0, 0.05, 0.3]),
    /** The share of calls that fail. */
    failing: random.pick([0, 0, 0, 0.1, 0.3]),
    isMetaOdd: random.chance(0.07),
    /** Rows of a page at most, whatever was asked for. */
    pageLimit: random.pick([250, 250, 250, 2]),
    /** Whether each page tells of another length of its list, as one does whose rows come and go. */
    isMoving: random.chance(0.1),
  };
}

/** The identifier of the row at an index, in every list. */
export const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const momentOf = (index: number): string => `2026-10-02T14:${String(59 - (index % 60)).padStart(2, '0')}:11Z`;
const addresses = ['https://hooks.example.com/a', 'https://hooks.example.com/b', 'https://hooks.example.com/ab'];

// A text that begins with `raw ` becomes the number behind it, digit for digit, when a body is written.
const freeForm = { price: 'raw 1.50', id: 'raw 12345678901234567890', plain: 7, list: [null, { a: 'raw -0' }] };

// The shapes of the API's own examples (field notes), beside those of the contract.
const publishedAttempt: records.JsonRecord = {
  errors: [{ code: '75001', title: 'Connection failed', detail: 'No answer.' }, 75002, { code: 75003 }],
  http: { request: { url: addresses[0], headers: ['Accept: */*', ['A', 'b'], 'set-cookie : hush', 'None'] } },
};

const rowOf: Readonly<Record<string, (index: number) => records.JsonRecord>> = {
  '/ip_connections': (index) =>
    records.ipConnectionRecord({
      id: idOf(index),
      created_at: momentOf(index),
      webhook_event_url: addresses[index % 3],
    }),
  '/ai/missions': (index) =>
    records.missionRecord({ mission_id: idOf(index), created_at: momentOf(index), metadata: freeForm }),
  '/webhook_deliveries': (index) =>
    records.webhookDeliveryRecord({
      id: idOf(index),
      started_at: momentOf(index),
      webhook: { event_type: 'call_initiated', occurred_at: momentOf(index), payload: freeForm },
      attempts: [
        records.attemptRecord(index % 2 === 0 ? {} : publishedAttempt),
        records.attemptRecord({
          started_at: '2026-10-03T00:00:00Z',
          http: { request: { url: addresses[index % 3], headers: [['Authorization', 'hush']] } },
        }),
      ],
    }),
};

// What may stand in a place of a record; `undefined` takes it away.
const plain = [undefined, undefined, null, null, '', 'text', 7, -1, 2 ** 31, 1e21, true, false, {}, []];
const texts = ['value-of-tomorrow', 'metered', '2026-13-77', 'x'.repeat(20_000), 'Cookie: hush'];
const numbers = ['raw 12345678901234567890', 'raw 1.50', 'raw 1e400', 'raw 7.0', 'raw -0'];
const objects = [{ code: '75001' }, { code: 'x', title: 7 }, [{ code: '075001' }, { title: 'a' }]];
const nested = [[[null]], [null, 'x'], [7, {}, null, 'x'], [['a', 'b']], [['a'], 7]];
// oxlint-disable-next-line unicorn/no-thenable
const takenNames = [{ then: 1 }, { then: { then: 'x' }, a: 1 }, JSON.parse('{"__proto__":{"a":1},"toJSON":"x"}')];
const oddities: readonly unknown[] = [...plain, ...texts, ...numbers, ...objects, ...nested, ...takenNames];

function mutated(record: records.JsonRecord, random: Random): unknown {
  if (random.chance(0.15)) return random.pick(oddities.filter((value) => value !== undefined));
  let result = record;
  for (let count = random.int(1, 4); count > 0; count--)
    result = withValue(result, random.pick(placesIn(result)), oddities[random.int(0, oddities.length - 1)]);
  // oxlint-disable-next-line unicorn/no-thenable
  return random.chance(0.1) ? { ...result, then: random.pick(['x', 7, {}]) } : result;
}

const errorOf = (code: string): object => ({
  code,
  title: 'No',
  detail: 'Not now.',
  source: { parameter: 'page[size]' },
});

// What a caller is refused for a while (429) would depend on who asked before.
const failures: readonly ((random: Random) => Reply | null)[] = [
  () => null,
  () => ({ status: 500, text: 'oops' }),
  () => ({ status: 503, text: '<html>busy</html>' }),
  (random) => ({
    status: random.pick([400, 401, 403, 404, 418, 422]),
    json: { errors: [errorOf(random.pick(['10015', '10009', '7']))] },
  }),
  () => ({ status: 400, json: { errors: [errorOf('10015'), errorOf('10027')] } }),
  () => ({ status: 422, json: { detail: [{ loc: ['query', 'page[size]'], msg: 'bad', type: 'value_error' }] } }),
  () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' } }),
  () => ({ text: '<html>hello</html>', headers: { 'content-type': 'text/html' } }),
  () => ({ text: '{"data":', headers: { 'content-type': 'application/json' } }),
  (random) => ({
    json: random.pick([null, [], 7, {}, { data: null }, { data: 'x' }, { data: [null, 7, []] }, { data: {} }]),
  }),
  () => ({ status: 204 }),
];

/** A delivery as a list has it whose filters are applied: each has the status that is asked for. */
function filtered(row: unknown, query: SeenRequest['query']): readonly unknown[] {
  const { started_at: moment, status } = (row ?? {}) as records.JsonRecord;
  const isOutside = (bound: string | undefined, sign: number): boolean =>
    bound !== undefined && typeof moment === 'string' && sign * (Date.parse(moment) - Date.parse(bound)) > 0;
  if (isOutside(query['filter[started_at][gte]'], -1) || isOutside(query['filter[started_at][lte]'], 1)) return [];
  const { 'filter[status][eq]': wanted = status } = query;
  return [typeof status === 'string' ? { ...(row as object), status: wanted } : row];
}

/** Makes an upstream: equal seeds and moods, equal worlds. What the mood does not say, the seed decides. */
export function createWorld(seed: string, given: Partial<Mood> = {}): World {
  const mood = { ...moodOf(new Random(seed)), ...given };
  const oddly = (row: records.JsonRecord, name: string): unknown => {
    const own = new Random(`${seed} ${name}`);
    return own.chance(mood.oddRecords) ? mutated(row, own) : row;
  };
  const rowsOf = (name: string, make: (index: number) => records.JsonRecord): readonly unknown[] =>
    Array.from({ length: mood.rowCount }, (_, index) => oddly(make(index), `${name} ${index}`));
  const lists = new Map(Object.entries(rowOf).map(([path, make]) => [path, rowsOf(path, make)]));
  const results = rowsOf('result', (index) => records.chargesBreakdownResultRecord({ tn: `+1312555${1000 + index}` }));

  function page(rows: readonly unknown[], request: SeenRequest, own: Random): Reply {
    const { path, query } = request;
    const asked = path === '/webhook_deliveries' ? rows.flatMap((row) => filtered(row, query)) : rows;
    const grown = mood.isMoving ? [...asked, ...asked.slice(0, Number(query['page[number]']) % 3)] : asked;
    const reply = pageReply(grown, request, mood.pageLimit);
    if (!mood.isMetaOdd) return reply;
    const meta = own.pick([null, {}, 7, { total_results: 'x' }, { total_results: own.int(0, 600) }]);
    return { json: { ...(reply.json as object), meta } };
  }

  function healthy(request: SeenRequest, own: Random): Reply {
    const { path, query, rawQuery } = request;
    const rows = lists.get(path);
    if (rows !== undefined) return page(rows, request, own);
    if (query['format'] === 'csv') return { text: 'tn,cost\n+13125550123,1.00\n' };
    const { start_date, end_date } = query;
    const fields = { start_date, ...(end_date !== undefined && { end_date }) };
    if (path === '/charges_summary') {
      return { json: { data: oddly(records.chargesSummaryRecord(fields), `summary ${rawQuery}`) } };
    }
    if (path === '/charges_breakdown')
      return { json: { data: oddly(records.chargesBreakdownRecord({ ...fields, results }), 'breakdown') } };
    return { status: 404, json: { errors: [errorOf('10005')] } };
  }

  return (request) => {
    const own = new Random(`${seed} ${request.path}?${request.rawQuery}`);
    const reply = own.chance(mood.failing) ? own.pick(failures)(own) : healthy(request, own);
    return reply && answerOf(reply);
  };
}

/** A whole response of an upstream. */
function answerOf({ status = 200, headers = {}, json, text = '' }: Reply) {
  const body = json === undefined ? text : JSON.stringify(json).replace(/"raw ([^"]+)"/g, '$1');
  const type = json === undefined ? 'text/plain' : 'application/json';
  return { status, headers: { 'content-type': type, ...headers }, body: Buffer.from(body) };
}

/** The script of an upstream that answers as a world does. */
export function scriptOf(world: World): Script {
  return (request) => {
    const { status, headers, body } = world(request) ?? {};
    return status === undefined ? hangUp : { status, ...(headers && { headers }), text: String(body ?? '') };
  };
}
