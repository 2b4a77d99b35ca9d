import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHostileGateway, type GatewayProcess } from './gateway-process.ts';
import { glanceAt } from './reading.ts';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startHostileGateway();
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

interface HostileRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

interface HostileCase {
  readonly make: (size: number) => HostileRequest;
  readonly headers?: Readonly<Record<string, string>>;
}

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);
const nodeId = (id: string): string => Buffer.from(JSON.stringify(['Mission', id, null])).toString('base64url');
// Well-formed, and in everything that the texts below repeat.
const periodicKey = { authorization: `Bearer ${'a'.repeat(2_000)}b${'a'.repeat(2_000)}` };
const nodes = (count: number): string =>
  `query ($ids: [ID!]!) { ${many(count, (index) => `a${index}: nodes(nodeIds: $ids) { nodeId }`)} }`;
const listFilter = (count: number): string =>
  `query ($filter: WebhookDeliveryFilter) { ${many(count, (index) => `a${index}: webhookDeliveries(filter: $filter) { totalCount }`)} }`;
const withText = (type: string, field: string): string =>
  `query ($text: ${type}) { ${many(50, (index) => `a${index}: ${field}`)} }`;
const unknownMembers = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown${index}`, index]));

/** Hostile requests by their size; the largest fits into a body of 1 MiB. */
const cases: Readonly<Record<string, HostileCase>> = {
  'a text that repeats the key': {
    make: (size) => ({ query: `{ missions(first: "%${'a'.repeat(240_000 * size)}") { totalCount } }` }),
    headers: periodicKey,
  },
  'a text of percent signs': {
    make: (size) => ({ query: `{ missions(first: "${'%25'.repeat(80_000 * size)}") { totalCount } }` }),
    headers: periodicKey,
  },
  'a variable that repeats the key, encoded': {
    make: (size) => ({
      query: 'query ($first: Int!) { missions(first: $first) { totalCount } }',
      variables: { first: '%61'.repeat(80_000 * size) },
    }),
    headers: periodicKey,
  },
  'one filter text in 50 fields': {
    make: (size) => ({
      query: listFilter(50),
      variables: { filter: { webhook: { contains: '€'.repeat(75_000 * size) } } },
    }),
  },
  'one cursor in 50 fields': {
    make: (size) => ({
      query: withText('String', 'missions(after: $text) { totalCount }'),
      variables: { text: '€'.repeat(75_000 * size) },
    }),
  },
  'one identifier in 50 fields': {
    make: (size) => ({
      query: withText('ID!', 'mission(id: $text) { id }'),
      variables: { text: '€'.repeat(75_000 * size) },
    }),
  },
  'one nodeId in 50 fields': {
    make: (size) => ({
      query: withText('ID!', 'node(nodeId: $text) { nodeId }'),
      variables: { text: nodeId('x'.repeat(150_000 * size)) },
    }),
  },
  'one moment of many digits in 50 fields': {
    make: (size) => ({
      query: withText('DateTime', 'webhookDeliveries(filter: { startedAt: { gte: $text } }) { totalCount }'),
      variables: { text: `2026-10-01T00:00:00.${'1'.repeat(240_000 * size)}Z` },
    }),
  },
  'a list of event types in 50 fields': {
    make: (size) => ({ query: listFilter(50), variables: { filter: { eventType: times(30_000 * size, 'abcde') } } }),
  },
  'lists of bad identifiers': { make: (size) => ({ query: nodes(9 * size), variables: { ids: times(500, 'x') } }) },
  'lists of good identifiers': {
    make: (size) => ({
      query: nodes(9 * size),
      variables: { ids: Array.from({ length: 500 }, (_, index) => nodeId(`${index}`)) },
    }),
  },
  'lists of identifiers that begin well': {
    make: (size) => ({
      query: nodes(9 * size),
      variables: { ids: times(220, nodeId('x').slice(0, 16).padEnd(4_000, 'A')) },
    }),
  },
  references: {
    make: (size) => ({
      query: 'query ($references: [_Any!]!) { _entities(representations: $references) { __typename } }',
      variables: { references: times(2_400 * size, { __typename: 'Mission', id: 'x' }) },
    }),
  },
  'members that nobody knows': {
    make: (size) => ({
      query: 'query ($filter: IpConnectionFilter) { ipConnections(filter: $filter) { totalCount } }',
      variables: { filter: unknownMembers(12_000 * size) },
    }),
  },
  'a value of a wrong type': {
    make: (size) => ({
      query: 'query ($first: Int!) { missions(first: $first) { totalCount } }',
      variables: { first: unknownMembers(12_000 * size) },
    }),
  },
  'the name of an operation': {
    make: (size) => ({ query: 'query A { __typename }', operationName: 'a'.repeat(240_000 * size) }),
    headers: periodicKey,
  },
};

/** The processor time of a request in milliseconds, and the response bodies. */
async function ask(request: HostileRequest, headers: HostileCase['headers'], count: number) {
  const before = await glanceAt(gateway.url);
  const texts: string[] = [];
  for (let turn = 0; turn < count; turn++) {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(request),
    });
    texts.push(await response.text());
  }
  const after = await glanceAt(gateway.url);
  return { milliseconds: ((after.cpuSeconds - before.cpuSeconds) * 1_000) / count, texts };
}

const turns = 3;
// Four times as much of what takes quadratic time takes sixteen times as long.
const margin = 2;
// Of the process as a whole: what else it does meanwhile, and its collector's threads.
const floorMs = 40;
const mostBytes = 256 * 1_024;

describe('the cost of a request grows linearly with its length', () => {
  test.for(Object.entries(cases))('%s', { retry: 2 }, async ([, { make, headers }]) => {
    const calls = gateway.upstream.requests.length;
    // Code that is run for the first time takes longer.
    await ask(make(1), headers, turns);
    const once = await ask(make(1), headers, turns);
    const fourTimes = await ask(make(4), headers, turns);
    expect(fourTimes.milliseconds).toBeLessThan(4 * margin * once.milliseconds + floorMs);
    for (const text of [...once.texts, ...fourTimes.texts]) {
      expect(text).toContain('"errors":[');
      expect(text.length).toBeLessThan(mostBytes);
    }
    // None of these requests is allowed to call the upstream.
    expect(gateway.upstream.requests.length - calls).toBe(0);
  });
});

test('requests of every kind leave nothing in memory', async () => {
  const before = await gateway.read();
  for (const { make, headers } of Object.values(cases)) await ask(make(4), headers, 2);
  const after = await gateway.read();
  expect(await gateway.askAsGoodCaller()).toBeNull();
  expect(after.unhandled).toBe(0);
  expect(after.heapBytes + after.externalBytes - before.heapBytes - before.externalBytes).toBeLessThan(8 * 1_048_576);
});
