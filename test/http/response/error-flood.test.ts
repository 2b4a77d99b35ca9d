import fc from 'fast-check';
import { variableErrors } from '../../../src/graphql/execution/variable-values.ts';
import { errorsPerCoordinate } from '../../../src/http/response/error-response.ts';
import { errorsPerResponse } from '../../../src/bounds.ts';
import { subscribe } from '../../support/streams.ts';
import { expect, judge, test, type Gateway } from '../../support/gateway.ts';
import { pageReply } from '../../support/scripted-upstream.ts';
import { places } from '../../nightly/sockets/long-place.ts';
import { units, runs } from '../../support/runs.ts';
import * as records from '../../support/records.ts';

/** The text and the errors of the response to one request, in any number of pieces. */
async function partsOf(gateway: Gateway, body: object, accept: string) {
  const text = await (await gateway.post(body, { accept })).text();
  const parts = [...text.matchAll(/^(\{.*\})\r?$/gm)].map(([, json = '']) => JSON.parse(json));
  const errors = parts.flatMap((part) => [part, ...(part.incremental ?? [])]).flatMap((part) => part.errors ?? []);
  return { text, errors };
}

/** The number of unreported errors that a message gives; 0 where it gives none. */
function restOf({ message = '' }: records.Json = {}): number {
  return Number(/\((\d+) more errors? of [\w. ]+ (?:is|are) not reported/.exec(message)?.[1] ?? 0);
}

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

test('19,500 bad identifiers are 100 errors, the last of which counts the rest', async ({ startWith, upstream }) => {
  const ids = times(500, (index) => `bad-${index}`);
  const fields = times(39, (index) => `a${index}: nodes(nodeIds: $ids) { nodeId }`);
  for (const options of [{}, judge]) {
    const gateway = await startWith({}, options);
    const query = `query ($ids: [ID!]!) { ${fields.join(' ')} }`;
    const { data, errors, text } = await gateway.query(query, { variables: { ids }, key: null });
    expect(errors.map(({ path }) => path)).toEqual(times(errorsPerResponse, (index) => ['a0', index]));
    expect(restOf(errors.at(-1))).toBe(39 * ids.length - errorsPerResponse);
    expect(Object.values(data as object)).toEqual(Array(39).fill(Array(500).fill(null)));
    expect(text.length).toBeLessThan(256 * 1024);
  }
  expect(upstream.requests).toEqual([]);
});

test('bad values are reported twenty times a field, on every path', async ({ startWith, upstream }) => {
  const rows = times(500, (index) =>
    records.missionRecord({ mission_id: `m${index}`, created_at: 7, name: ['no', 'text'] }),
  );
  upstream.script((request) => pageReply(rows, request, 1_000));
  const query = '{ missions(first: 500) { nodes { id a: createdAt b: createdAt name } } }';
  const answers: (readonly records.Json[])[] = [];
  for (const options of [{}, judge]) {
    const gateway = await startWith({}, options);
    answers.push((await gateway.query(query)).errors);
    answers.push((await partsOf(gateway, { query: `{ __typename ... @defer ${query} }` }, 'multipart/mixed')).errors);
  }
  for (const errors of answers) {
    for (const [field, wireName, most] of [
      ['createdAt', 'created_at', 1_000],
      ['name', 'name', 500],
    ] as const) {
      const own = errors.filter(({ message }) => message.includes(`for ${wireName}:`));
      expect(own).toHaveLength(errorsPerCoordinate);
      expect(own.slice(0, -1).map(restOf)).toEqual(Array(errorsPerCoordinate - 1).fill(0));
      const rest = most - errorsPerCoordinate;
      expect(own.at(-1)?.message).toContain(`(${rest} more errors of Mission.${field} are not reported`);
    }
    expect(errors.map(({ path }) => path)).toEqual(answers[0]?.map(({ path }) => path));
  }
});

test('bad values of fields that fill a response together are counted for each', async ({ startWith, upstream }) => {
  const names = ['name', 'description', 'model', 'instructions', 'created_at', 'updated_at'];
  const bad = Object.fromEntries(names.map((name) => [name, 7]));
  const rows = times(500, (index) => records.missionRecord({ mission_id: `m${index}`, ...bad }));
  upstream.script((request) => pageReply(rows, request, 1_000));
  for (const options of [{}, judge]) {
    const gateway = await startWith({}, options);
    const query = '{ missions(first: 500) { nodes { name description model instructions createdAt updatedAt } } }';
    const { errors } = await gateway.query(query);
    expect(errors).toHaveLength(errorsPerResponse);
    for (const name of names) {
      const own = errors.filter(({ message }) => message.includes(`for ${name}:`));
      expect(own.map(restOf)).toEqual([...Array(own.length - 1).fill(0), rows.length - own.length]);
    }
    const rest = names.length * rows.length - errorsPerResponse;
    expect(errors.at(-1)?.message).toContain(`(${rest} more errors of this response are not reported.)`);
  }
});

test('errors stand in the order of the data, whichever call failed first', async ({ startWith, upstream }) => {
  const connections = times(12, (index) => ({
    id: `c${index}`,
    webhook_event_url: `https://example.com/${index + 10}`,
  }));
  const waiting: (() => void)[] = [];
  upstream.script((request) => {
    if (request.path === '/ip_connections') return pageReply(connections, request);
    // All calls run side by side, and the last one gets its response first.
    return new Promise((resolve) => {
      waiting.push(() => resolve({ status: 500, text: 'oops' }));
      if (waiting.length === connections.length) for (const answer of waiting.splice(0).toReversed()) answer();
    });
  });
  for (const options of [{}, judge]) {
    const gateway = await startWith({}, options);
    const query = '{ ipConnections(first: 12) { nodes { b: webhookDeliveries { nodes { id } } } } }';
    const { errors } = await gateway.query(query);
    expect(errors.map(({ path }) => path)).toEqual(times(12, (index) => ['ipConnections', 'nodes', index, 'b']));
  }
});

test('ten thousand errors of the API are a hundred, in GraphQL and outside', async ({ gateway, upstream }) => {
  const errors = times(10_000, (index) => ({ code: '10015', detail: `fault ${index}` }));
  upstream.script(() => ({ status: 400, json: { errors } }));
  const answer = await gateway.query('{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }');
  const report = await gateway.fetch('/exports/charges-breakdown.csv?startDate=2026-10-01', {
    headers: { authorization: 'Bearer test-key' },
  });
  expect(report.status).toBe(400);
  for (const reported of [answer.errors, (await report.json()).errors]) {
    expect(reported).toHaveLength(errorsPerResponse);
    expect(reported?.[0]?.message).toBe('fault 0');
    expect(reported?.at(-1)?.message).toBe('fault 99 (9900 more errors of this response are not reported.)');
  }
});

test('each event of a stream reports its own errors', async ({ startWith, upstream }) => {
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '5' });
  const attempts = times(150, () => ({ status: 7, started_at: 'never' }));
  const deliveries: object[] = [];
  upstream.script((request) => pageReply(deliveries, request));
  const stream = await subscribe(gateway, 'subscription { webhookDeliveries { id attempts { status startedAt } } }');
  await stream.begun;
  for (const second of [1, 2, 3])
    deliveries.unshift({ id: `d${second}`, started_at: `2026-11-01T00:00:0${second}Z`, attempts });
  await expect.poll(() => stream.events.length).toBe(3);
  stream.close();
  for (const { data } of stream.events) {
    expect(data.errors).toHaveLength(2 * errorsPerCoordinate);
    expect(data.errors.map(restOf).filter((rest: number) => rest > 0)).toEqual([130, 130]);
  }
});

test('variables that do not fit are reported as the first ten errors', async ({ gateway, upstream }) => {
  const query = 'query ($filter: IpConnectionFilter) { ipConnections(filter: $filter) { totalCount } }';
  const filter = Object.fromEntries(times(1_000, (index) => [`unknown${index}`, 'x'.repeat(5)]));
  const { errors, text } = await gateway.query(query, { variables: { filter } });
  expect(errors).toHaveLength(variableErrors);
  expect(errors[0]?.message).toMatch(/^Variable "\$filter" got invalid value \{…\}; Field "unknown0" is not/);
  expect(errors.at(-1)?.message).toContain('(What follows has not been looked at.)');
  expect(text.length).toBeLessThan(8 * 1024);
  expect(upstream.requests).toEqual([]);
});

// Where many names are quoted, the words between them are longer.
const mostLengthOfMany = 200 + 300;

test('no error quotes a long text of the request, wherever it stands', async ({ gateway }) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(places)), fc.constantFrom(...units), async (name, unit) => {
      const { target, headers, body } = places[name]!((length) => unit.repeat(length / unit.length), 1);
      const response = await gateway.fetch(target, {
        method: body === null ? 'GET' : 'POST',
        headers: headers.map(([header, value]) => [header, value.trim()] as [string, string]),
        ...(body !== null && { body: body.toString() }),
      });
      const text = await response.text();
      if (!response.headers.get('content-type')?.includes('json')) return;
      const { errors = [] } = JSON.parse(text);
      for (const { message } of errors) expect(message.length, message).toBeLessThanOrEqual(mostLengthOfMany);
    }),
    { numRuns: runs(60) },
  );
});

test.for([`{ ${'z'.repeat(900)} }`, `{ missions(first: "${'z'.repeat(900)}") { totalCount } }`])(
  'a message quotes at most 200 characters of the request: $0',
  async (query, { gateway }) => {
    const { errors } = await gateway.query(query);
    for (const { message } of errors) expect(message.match(/z/g)?.length).toBeLessThanOrEqual(200);
  },
);
