import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { documentCacheBytes, programCacheBytes } from '../../src/bounds.ts';
import { runs } from '../support/runs.ts';
import { startHostileGateway, type GatewayProcess } from './gateway-process.ts';

const mebibyte = 2 ** 20;
/** The most memory of all caches together. */
const mostKept = 64 * mebibyte;
/** Of each kind, twice. As many as 50,000 are for a run by hand. */
const count = Number(process.env['KEPT_REQUESTS'] ?? runs(300));
/** Of a heap whose caches are full: it is never twice the same. */
const noise = 6 * mebibyte;

interface Sent {
  readonly query?: string;
  readonly operationName?: string;
  readonly variables?: object;
  readonly extensions?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const selection = `{${'id name '.repeat(20)}}`;

/** Requests that caches may keep something of; test/hostile/budget.test.ts has those that leave nothing at all. */
const kinds: Readonly<Record<string, (index: number) => Sent>> = {
  'short documents': (index) => ({ query: `{a${index}:__typename}` }),
  'operations that have run': (index) => ({ query: `query Q${index}{missions{totalCount nodes${selection}}}` }),
  'operations of many values': (index) => ({ query: `{a${index}:nodes(nodeIds:[${'"x" '.repeat(60)}]){nodeId}}` }),
  'documents of many operations': (index) => ({
    query: Array.from({ length: 20 }, (_, at) => `query Q${at}{a${index}:missions{totalCount}}`).join(' '),
    operationName: `Q${index % 20}`,
  }),
  'names of unknown operations': (index) => ({ query: '{__typename}', operationName: `N${index}` }),
  'documents in pieces': (index) => ({
    query: `{a${index}:__typename ...@defer(label:"l${index}"){__typename}}`,
    headers: { accept: 'multipart/mixed' },
  }),
  'media types': (index) => ({ query: '{__typename}', headers: { accept: `application/json, a/b${index}` } }),
};

function send(url: string, agent: Agent, { headers = {}, ...body }: Sent): Promise<void> {
  const all = { accept: 'application/json', 'content-type': 'application/json', ...headers };
  return new Promise((resolve, reject) => {
    const asking = request(`${url}/graphql`, { method: 'POST', agent, headers: all }, (res) => {
      res.resume().once('end', resolve);
    });
    asking.once('error', reject).end(JSON.stringify(body));
  });
}

/** Sends those from one number on, some side by side. */
async function fill(gateway: GatewayProcess, make: (index: number) => Sent, from: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let next = from;
  const sender = async (): Promise<void> => {
    while (next < from + count) await send(gateway.url, agent, make(next++));
  };
  await Promise.all(Array.from({ length: 8 }, sender));
  agent.destroy();
}

test('the caches of documents and programs fit into their room together', () => {
  expect(documentCacheBytes + programCacheBytes).toBeLessThan(mostKept);
});

test(
  'requests of strangers leave no more in memory than the caches hold, however many there are',
  { timeout: 3_600_000 },
  async () => {
    await using gateway = await startHostileGateway({ heapMiB: 256 });
    for (const make of Object.values(kinds)) await send(gateway.url, new Agent(), make(0));
    const readings = [await gateway.read()];
    for (const from of [1, 1 + count]) {
      for (const [kind, make] of Object.entries(kinds)) {
        await fill(gateway, make, from);
        expect([kind, gateway.ended]).toEqual([kind, null]);
      }
      readings.push(await gateway.read());
    }
    const [empty, once, twice] = readings.map(({ heapBytes }) => heapBytes) as [number, number, number];
    expect(once - empty).toBeLessThan(mostKept);
    expect(twice - empty).toBeLessThan(mostKept);
    expect(twice - once).toBeLessThan(noise);
    expect(await gateway.askAsGoodCaller()).toBeNull();
    expect(readings.at(-1)?.unhandled).toBe(0);
  },
);
