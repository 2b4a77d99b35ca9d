import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { startFixedSandbox } from '../support/sandbox.ts';
import { configFile, startHaproxy } from './haproxy.ts';
import { programPath } from './programs.ts';
import { startReplica } from './replica.ts';

const callers = 20;
const pages = 10;
const equalQueries = 10;

test('HAProxy takes the configuration without a warning', () => {
  const said = execFileSync(programPath('haproxy'), ['-c', '-f', configFile], { encoding: 'utf8' });
  expect(said).not.toMatch(/WARNING|ALERT/);
});

async function query(url: string, key: string, text: string, variables: object = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Record<string, never>; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

const reportPage = `query ($after: String) { chargesBreakdown(startDate: "2026-10-01", endDate: "2026-10-31") {
  results(first: 50, after: $after) { nodes { tn } pageInfo { endCursor } } } }`;

/** Pages through a report, one page after another; resolves to how many rows there were. */
async function pageThrough(url: string, key: string): Promise<number> {
  let after: string | null = null;
  let rows = 0;
  for (let page = 0; page < pages; page++) {
    const data = await query(url, key, reportPage, { after });
    const { results } = data['chargesBreakdown'] as unknown as {
      results: { nodes: unknown[]; pageInfo: { endCursor: string } };
    };
    rows += results.nodes.length;
    after = results.pageInfo.endCursor;
  }
  return rows;
}

/** Asks equal queries at once. */
function askAtOnce(url: string, key: string) {
  const text = '{ ipConnections(first: 20) { totalCount } missions(first: 20) { nodes { name } } }';
  return Promise.all(Array.from({ length: equalQueries }, () => query(url, key, text)));
}

/** The calls of all callers together, over gateways that have just been started. */
async function measure(
  balance: string,
  replicaCount: number,
): Promise<{ readonly reports: number; readonly all: number }> {
  await using cleanups = new AsyncDisposableStack();
  const sandbox = await startFixedSandbox();
  cleanups.defer(() => sandbox.close());
  // A report is kept for longer than the test takes on a busy machine.
  const env = { UPSTREAM_BASE_URL: sandbox.baseUrl, REPORT_CACHE_MS: '600000', REPORT_CACHE_BYTES: '536870912' };
  const replicas = await Promise.all(Array.from({ length: 3 }, () => startReplica(env)));
  for (const replica of replicas) cleanups.use(replica);
  const served = Array.from({ length: 3 }, (_, index) => replicas[index % replicaCount]?.address ?? '');
  const change = (config: string): string => config.replace('balance hdr(Authorization)', balance);
  const { url } = cleanups.use(await startHaproxy({ replicas: served, change }));
  for (let caller = 0; caller < callers; caller++) {
    expect(await pageThrough(url, `caller-${caller}`)).toBe(pages * 50);
    await askAtOnce(url, `caller-${caller}`);
  }
  const sum = async (operation?: string): Promise<number> => {
    const calls = await Promise.all(replicas.map((replica) => replica.calls(operation)));
    return calls.reduce((total, count) => total + count, 0);
  };
  return { reports: await sum('charges_breakdown'), all: await sum() };
}

test('callers who page through a report and ask equal queries at once cost no more calls than before one replica', async () => {
  const alone = await measure('balance hdr(Authorization)', 1);
  const byHash = await measure('balance hdr(Authorization)', 3);
  const roundRobin = await measure('balance roundrobin', 3);
  console.log(
    `Calls of ${callers} callers: one replica ${alone.all}, by hash ${byHash.all}, by turns ${roundRobin.all}.`,
  );
  expect([alone.reports, byHash.reports]).toEqual([callers, callers]);
  expect(roundRobin.reports).toBe(3 * callers);
  // How many of the equal queries come while the first of them is under way depends on the machine.
  expect(byHash.all).toBeLessThan(roundRobin.all * 0.7);
});
