import { execFileSync, spawnSync } from 'node:child_process';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { fileURLToPath } from 'node:url';
import { askGraphql, expect, test } from '../support/gateway.ts';
import { openSocket, type GraphqlSocketClient } from '../support/streams.ts';
import { ask } from '../support/http.ts';
import { samplesOf, scrape, valueOf } from '../support/metrics.ts';
import { configFile, startHaproxy, startReplicas } from './haproxy.ts';
import { programPath } from './programs.ts';

test('HAProxy and Prometheus take the configurations that are shipped without a warning', () => {
  const said = execFileSync(programPath('haproxy'), ['-c', '-f', configFile], { encoding: 'utf8' });
  expect(said).not.toMatch(/WARNING|ALERT/);
  const file = fileURLToPath(new URL('../../deploy/prometheus/prometheus.yml', import.meta.url));
  const checked = spawnSync(programPath('promtool'), ['check', 'config', file], { encoding: 'utf8' });
  expect(checked).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('alerts.yaml') });
});

// The gateway has no ADMIN_PORT here, so HAProxy alone closes the path.
test('nobody reads the figures through HAProxy', async ({ gateway }) => {
  expect((await ask(gateway.url, { method: 'GET', path: '/metrics' })).text).toContain('switchboard_');
  const address = new URL(gateway.url).host;
  await using haproxy = await startHaproxy([address, address, address]);
  for (const path of ['/metrics', '/metrics?a', '//x/metrics', '/%2e/metrics', '/a/../metrics', '/\\x/metrics']) {
    const { status, text } = await ask(haproxy.url, { method: 'GET', path });
    expect([400, 404]).toContain(status);
    expect(text).not.toContain('switchboard_');
  }
});

const callers = Array.from({ length: 12 }, (_, caller) => `caller-${caller}`);
const reportPage = `query ($after: String) { chargesBreakdown(startDate: "2026-10-01", endDate: "2026-10-31") {
  results(first: 50, after: $after) { nodes { tn } pageInfo { endCursor } } } }`;

async function query(url: string, key: string, text: string, variables = {}) {
  const { data, errors } = await askGraphql(`${url}/graphql`, text, { key, variables });
  expect(errors).toEqual([]);
  return data;
}

/** The calls of callers who page through a report, and ask equal queries at once. */
async function callsBy(balance: string): Promise<{ readonly reports: number; readonly all: number }> {
  const change = (config: string): string => config.replace('balance hdr(Authorization)', balance);
  // A report is kept for longer than the test takes on a busy machine.
  const env = { REPORT_CACHE_MS: '600000', REPORT_CACHE_BYTES: '536870912' };
  await using fleet = await startReplicas(env, { change });
  for (const key of callers) {
    let after: string | null = null;
    for (let page = 0; page < 6; page++) {
      const { chargesBreakdown } = await query(fleet.url, key, reportPage, { after });
      expect(chargesBreakdown.results.nodes).toHaveLength(50);
      after = chargesBreakdown.results.pageInfo.endCursor;
    }
    const equal = '{ ipConnections(first: 20) { totalCount } missions(first: 20) { nodes { name } } }';
    await Promise.all(Array.from({ length: 10 }, () => query(fleet.url, key, equal)));
  }
  const texts = await Promise.all(fleet.replicas.map(scrape));
  const samples = texts.flatMap(samplesOf).filter(({ name }) => /^switchboard_upstream_call_dura.*_count$/.test(name));
  const sum = (operation: string): number =>
    samples.reduce((total, { labels, value }) => total + (labels['operation']?.endsWith(operation) ? value : 0), 0);
  return { reports: sum('/charges_breakdown'), all: sum('') };
}

test('HAProxy leads each caller to one replica, so that a report is read once, and equal calls are shared', async () => {
  const byHash = await callsBy('balance hdr(Authorization)');
  const byTurns = await callsBy('balance roundrobin');
  expect([byHash.reports, byTurns.reports]).toEqual([callers.length, 3 * callers.length]);
  // How many of the equal queries come while the first of them is under way depends on the machine.
  expect(byHash.all).toBeLessThan(byTurns.all * 0.7);
});

function askBy(session: ClientHttp2Session, text: string, accept: string): ClientHttp2Stream {
  const headers = { accept, authorization: 'Bearer a-key', 'content-type': 'application/json' };
  const stream = session.request({ ':method': 'POST', ':path': '/graphql', ...headers });
  stream.setEncoding('utf8').end(JSON.stringify({ query: text }));
  return stream;
}

/** Resolves with what has come as soon as it holds a text. */
async function holding(stream: ClientHttp2Stream, text: string): Promise<string> {
  let said = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes(text)) break;
  }
  return said;
}

test('HAProxy takes twenty streams and a query over one connection of HTTP/2, as the tabs of a browser send them', async () => {
  await using fleet = await startReplicas({ SUBSCRIPTION_POLL_MS: '100' });
  const session = connect(fleet.url);
  const subscription = 'subscription { deliveryFeed { __typename ... on DeliveryArrived { delivery { id } } } }';
  const feeds = Array.from({ length: 20 }, () => askBy(session, subscription, 'text/event-stream'));
  await Promise.all(feeds.map((feed) => holding(feed, '"FeedStateChanged"')));
  const answer = await holding(askBy(session, '{ missions { totalCount } }', 'application/json'), '}}}');
  expect(JSON.parse(answer)).toEqual({ data: { missions: { totalCount: 230 } } });
  const { id } = fleet.sandbox.deliver();
  for (const said of await Promise.all(feeds.map((feed) => holding(feed, '"DeliveryArrived"'))))
    expect(said).toContain(id);
  session.destroy();
});

test('WebSockets pass HAProxy, with the key in either place, and find another replica when theirs stops', async () => {
  await using fleet = await startReplicas();
  const { url, replicas } = fleet;
  const authorization = 'Bearer some-key';
  const askOn = async (socket: GraphqlSocketClient): Promise<unknown> => {
    socket.subscribe('1', { query: '{ missions { totalCount } }' });
    return (await socket.next('1')).payload;
  };
  const open = (): Promise<GraphqlSocketClient> => openSocket({ url }, { headers: { authorization }, payload: {} });
  const byPayload = await openSocket({ url }, { payload: { authorization } });
  const byHeader = await Promise.all([open(), open()]);
  const answer = { data: { missions: { totalCount: 230 } } };
  expect(await Promise.all([byPayload, ...byHeader].map(askOn))).toEqual([answer, answer, answer]);
  // The header leads all sockets of a caller to one replica, which knows their number.
  const counts = await Promise.all(replicas.map((replica) => valueOf(replica, 'switchboard_websockets')));
  const theirs = counts.findIndex((count = 0) => count >= 2);
  await replicas[theirs]?.end('SIGTERM');
  for (const { closed } of byHeader) expect((await closed).code).toBe(1001);
  const again = await open();
  expect(await askOn(again)).toEqual(answer);
  for (const { ws } of [again, byPayload]) ws.terminate();
});
