import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programCacheBytes } from '../../../src/graphql/execution/plan/plan.ts';
import { documentCacheBytes } from '../../../src/http/documents.ts';
import { runs } from '../../support/runs.ts';
import { cutOff, hang, hangUp, type Reply } from '../../support/scripted-upstream.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';

const mebibyte = 2 ** 20;
/** The most memory of all caches together. */
const mostKept = 72 * mebibyte;
const count = runs(250);
const atOnce = 8;

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** Requests that leave nothing. */
const passing: Readonly<Record<string, (index: number) => Sent>> = {
  'a document of one unknown field': (index) => ({ body: { query: `{a${index}}` } }),
  'a document that is none': (index) => ({ body: { query: `}${index}` } }),
  'a document beyond a limit': (index) => ({ body: { query: `{ ${`a: __typename ${index} `.repeat(200)} }` } }),
  'a variable that does not fit': (index) => ({
    body: {
      query: 'query ($v: Int) { missions(first: $v) { totalCount } }',
      variables: { v: `x${index}` },
    },
  }),
  'a body that is no JSON': (index) => ({ body: `{"query":${index}` }),
  'an identifier of no operation': (index) => ({ body: { documentId: `id-${index}` } }),
  'a key that was made up': (index) => ({
    headers: { authorization: `Bearer made-up-${index}` },
    body: { query: '{ missions { totalCount } }' },
  }),
  'headers of its own': (index) => ({
    headers: {
      'x-request-id': String(index),
      accept: `application/json, a/b${index}`,
      origin: `https://o${index}.example.com`,
      'last-event-id': String(index),
    },
    body: { query: '{ __typename }' },
  }),
  'a path that leads nowhere': (index) => ({ method: 'GET', path: `/nowhere/${index}` }),
};

const selection = `{${'id name '.repeat(20)}}`;
/** Requests that caches may keep something of. */
const remembered: readonly ((index: number) => Sent)[] = [
  (index) => ({ body: { query: `{a${index}:__typename}` } }),
  (index) => ({ body: { query: `query Q${index}{missions{totalCount nodes${selection}}}` } }),
  (index) => ({ body: { query: `{a${index}:nodes(nodeIds:[${'"x" '.repeat(60)}]){nodeId}}` } }),
  (index) => ({
    body: {
      query: Array.from({ length: 20 }, (_, at) => `query Q${at}{a${index}:missions{totalCount}}`).join(' '),
      operationName: `Q${index % 20}`,
    },
  }),
  (index) => ({
    headers: { accept: 'multipart/mixed' },
    body: { query: `{a${index}:__typename ...@defer(label:"l${index}"){__typename}}` },
  }),
];

let gateway: GatewayProcess;
// The API fails in every way for those whose key is made up, except by a refusal.
const failures: readonly Reply[] = [
  hangUp,
  hang,
  { status: 500, text: 'oops' },
  { status: 503, headers: { 'retry-after': '0' }, text: '' },
  { text: '{"data":', headers: { 'content-type': 'application/json' } },
  cutOff('{"data":[', { headers: { 'content-type': 'application/json', 'content-length': '500' } }),
];
let calls = 0;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    heapMiB: 256,
    env: { UPSTREAM_TIMEOUT_MS: '200', UPSTREAM_BREAKER_OPEN_MS: '1' },
    script: ({ headers }) =>
      headers.authorization?.includes('failing') === true
        ? (failures[calls++ % failures.length] ?? hangUp)
        : { status: 401, text: '' },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

let sent = 0;
/** Sends so many, some side by side. */
async function send(make: (index: number) => Sent, most = count): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const one = ({ method = 'POST', path = '/graphql', headers = {}, body }: Sent): Promise<void> =>
    new Promise((resolve, reject) => {
      const all = { accept: 'application/json', 'content-type': 'application/json', ...headers };
      const asking = request(gateway.url + path, { method, agent, headers: all }, (res) => {
        res.resume().once('end', resolve);
      });
      asking.once('error', reject).end(typeof body === 'object' ? JSON.stringify(body) : body);
    });
  let left = most;
  const sender = async (): Promise<void> => {
    while (left-- > 0) await one(make(sent++));
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  agent.destroy();
}

describe('a request without a good key leaves nothing in memory', () => {
  test.for(Object.entries(passing))('%s', async ([, make]) => {
    await send(make, 100);
    const before = await gateway.heldBytes();
    await send(make);
    // Readings differ by less.
    expect((await gateway.heldBytes()) - before).toBeLessThan(mebibyte);
  });
});

test('queries before an API that fails in every way leave neither memory nor connections', async () => {
  const failing = (index: number): Sent => ({
    headers: { authorization: `Bearer failing-${index % 50}` },
    body: { query: '{ missions { totalCount nodes { id } } ipConnections { totalCount } }' },
  });
  await send(failing, 100);
  const before = await gateway.look();
  await send(failing, 200);
  const sockets = async (): Promise<number> => (await gateway.look()).sockets;
  await expect.poll(sockets).toBeLessThanOrEqual(before.sockets);
  const after = await gateway.look();
  expect(after.heapBytes + after.externalBytes - before.heapBytes - before.externalBytes).toBeLessThan(2 * mebibyte);
});

test('requests of unauthenticated clients leave no more than the caches hold, however many there are', async () => {
  expect(documentCacheBytes + programCacheBytes).toBeLessThan(mostKept);
  const before = await gateway.heldBytes();
  const readings: number[] = [];
  for (let round = 0; round < 6; round++) {
    for (const make of remembered) await send(make);
    readings.push((await gateway.heldBytes()) - before);
  }
  // Five rounds fill the caches, which are never twice the same then.
  const [full = 0, more = 0] = readings.slice(-2);
  expect(more).toBeLessThan(mostKept);
  expect(more - full).toBeLessThan(6 * mebibyte);
});

test('the good caller is served behind all of them', async () => {
  expect(await gateway.askAsGoodCaller()).toBeNull();
  expect(await gateway.metric('switchboard_unhandled_total')).toBe(0);
});
