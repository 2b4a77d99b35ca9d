import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mostSentAhead } from '../../../src/http/connection/listener.ts';
import { root } from '../../documents/page.ts';
import { missionRecord, webhookDeliveryRecord } from '../../support/records.ts';
import type { Reply, SeenRequest } from '../../support/scripted-upstream.ts';
import { frame, upgradeHead } from '../../support/streams.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';

const mebibyte = 1_048_576;
/** The largest file of a page. */
const [, editor = ''] =
  /"file": "(assets\/monaco-editor-.+\.js)"/.exec(readFileSync(`${root}/explorer/dist/manifest.json`, 'utf8')) ?? [];
const text = 'x'.repeat(100_000);
const missions = Array.from({ length: 100 }, (_, index) =>
  missionRecord({ mission_id: `mission-${index}`, metadata: { text } }),
);
let moment = Date.parse('2026-10-01T00:00:00Z');

/** As text, made once for each size: an upstream that takes its time to write would hold the gateway up. */
const missionPages = new Map<number, string>();
function missionPage(size: number): Reply {
  const page = { data: missions.slice(0, size), meta: { total_results: missions.length } };
  const body = missionPages.get(size) ?? JSON.stringify(page);
  missionPages.set(size, body);
  return { text: body, headers: { 'content-type': 'application/json' } };
}

/** Ten mebibytes of missions, a report without an end, and a list of deliveries to which a large one comes each time. */
function script({ path, query }: SeenRequest): Reply {
  if (path === '/ai/missions') return missionPage(Number(query['page[size]']));
  if (path === '/charges_breakdown')
    return {
      act: (res) => {
        const more = (): void => {
          while (!res.destroyed && res.write(text));
        };
        res.writeHead(200, { 'content-type': 'text/csv' });
        res.on('drain', more);
        more();
      },
    };
  const rows = Array.from({ length: 3 }, () => {
    const started = new Date((moment += 10)).toISOString();
    return webhookDeliveryRecord({ id: `d-${moment}`, started_at: started, webhook: { payload: { text } } });
  });
  return { json: { data: query['page[number]'] === '1' ? rows.toReversed() : [], meta: { total_results: 3 } } };
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `GET ${path} HTTP/1.1`,
    'host: gateway',
    'authorization: Bearer test-key',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');
const ask = (query: string, accept = '*/*'): string => get(`/graphql?query=${encodeURIComponent(query)}`, { accept });
const heavy = '{ missions(first: 100) { nodes { id metadata } } }';
/** More than any kernel takes for a reader: some take ten mebibytes. */
const heaviest = `{ ${['a', 'b', 'c'].map((name) => `${name}: missions(first: 100) { nodes { id metadata } }`).join(' ')} }`;
function posted(query: string, accept = '*/*'): string {
  const body = JSON.stringify({ query });
  const head =
    'POST /graphql HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer test-key\r\ncontent-type: application/json';
  return `${head}\r\naccept: ${accept}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** A WebSocket that asks a hundred times for ten mebibytes. */
const socketMessages = Buffer.concat([
  Buffer.from(upgradeHead({ authorization: 'Bearer test-key' })),
  frame(1, JSON.stringify({ type: 'connection_init' })),
  ...Array.from({ length: 99 }, (_, id) =>
    frame(1, JSON.stringify({ type: 'subscribe', id: `${id}`, payload: { query: heavy } })),
  ),
]);

const requests: readonly (readonly [what: string, bytes: string | Buffer])[] = [
  ['a query in a URL', ask(heaviest)],
  ['a query', posted(heaviest)],
  ['a query as an event', posted(heaviest, 'text/event-stream')],
  ['a query over a connection that is to end', posted(heaviest).replace('\r\n', '\r\nconnection: close\r\n')],
  ['queries that were sent ahead', posted(heavy).repeat(mostSentAhead)],
  ['an answer in pieces', ask('{ missions(first: 100) { nodes { id ... @defer { metadata } } } }', 'multipart/mixed')],
  ['a stream of events', ask('subscription { webhookDeliveries { id webhook { payload } } }', 'text/event-stream')],
  ['a download', get('/exports/charges-breakdown.csv?startDate=2026-10-01')],
  ['operations of a WebSocket', socketMessages],
];

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    script,
    env: {
      EXPLORER: 'true',
      RESPONSE_STALL_TIMEOUT_MS: '500',
      // A response that fails is small, and taken by the kernel.
      UPSTREAM_TIMEOUT_MS: '60000',
      UPSTREAM_QUEUE_TIMEOUT_MS: '60000',
      OPERATION_TIMEOUT_MS: '100000',
      SUBSCRIPTION_POLL_MS: '20',
    },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Sends a request over a connection of its own, and reads nothing of the response. */
function sendUnread(bytes: string | Buffer): Socket {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

// A gateway on a busy machine takes its time to make as many results of tools as the kernel takes.
const patient = { timeout: 140_000 };
const stalledReaders = (): Promise<number> => gateway.metric('switchboard_stalled_readers_total');

/** Sends each request over connections of its own, and waits until all of these were closed. */
async function leaveUnread(times: number): Promise<void> {
  const before = await stalledReaders();
  const unread = requests.flatMap(([, bytes]) => Array.from({ length: times }, () => sendUnread(bytes)));
  await expect.poll(stalledReaders, patient).toBe(before + unread.length);
  for (const socket of unread) socket.destroy();
}

test('responses that nobody reads are closed, and their memory is freed', { timeout: 300_000 }, async () => {
  await leaveUnread(1);
  const { heapBytes, externalBytes, sockets } = await gateway.look();
  await leaveUnread(3);
  const after = await gateway.look();
  expect(after.sockets).toBeLessThanOrEqual(sockets + 1);
  expect(after.heapBytes + after.externalBytes - heapBytes - externalBytes).toBeLessThan(8 * mebibyte);
  expect(await gateway.askAsGoodCaller()).toBeNull();
});

test('a page that many request and nobody reads is held in memory once', async () => {
  const headers = { accept: 'text/html', 'accept-encoding': 'identity' };
  const { byteLength } = await (await fetch(`${gateway.url}/${editor}`, { headers })).arrayBuffer();
  const before = await gateway.look();
  const range = { range: `bytes=${'0-,'.repeat(1_000)}`, 'if-none-match': `${'"x",'.repeat(2_000)}"` };
  const readers = Array.from({ length: 40 }, () => sendUnread(get(`/${editor}`, { ...headers, ...range })));
  await expect.poll(async () => (await gateway.look()).sockets - before.sockets).toBeGreaterThan(30);
  const taken = (await gateway.heldBytes()) - before.heapBytes - before.externalBytes;
  expect(taken).toBeLessThan(byteLength + 8 * mebibyte);
  expect(readers.length * byteLength).toBeGreaterThan(80 * mebibyte);
  for (const reader of readers) reader.destroy();
});
