import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { expect, startGateway, type Gateway } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import {
  HeldReplies,
  pageReply,
  startScriptedUpstream,
  type Reply,
  type Script,
} from '../support/scripted-upstream.ts';
import { openSocket } from '../support/streams.ts';
import { valueOf } from '../support/metrics.ts';

const missions = '{ missions { nodes { name } } }';
const summary = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const breakdown =
  '{ chargesBreakdown(startDate: "2026-10-01", endDate: "2026-11-01") { results(first: 1) { totalCount } } }';

export const breakdownReply: Reply = { json: { data: records.chargesBreakdownRecord({ results: [] }) } };

// Vitest's own second is little on a machine that is busy with other things.
const soon = { timeout: 20_000 };

function scriptOf(held: HeldReplies): Script {
  let isFirst = true;
  return (request) => {
    const { path, headers } = request;
    if (headers.authorization === 'Bearer limited') return { status: 429, headers: { 'retry-after': '60' } };
    if (path === '/charges_breakdown') return breakdownReply;
    if (headers.authorization === 'Bearer cut-off') return { act: (response) => void response.destroy() };
    if (path === '/charges_summary') return { status: 500 };
    if (path === '/ip_connections') return held.reply;
    const isSick = isFirst;
    isFirst = false;
    return isSick ? { status: 503 } : pageReply([{ mission_id: 'm', name: 1 }], request);
  };
}

/** Starts a gateway to which everything has happened that a metric counts, so that each metric has a value. */
export async function startEventfulGateway(): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-trusted-'));
  writeFileSync(join(folder, 'Missions.graphql'), `query Missions ${missions}`);
  writeFileSync(join(folder, 'nameless.graphql'), '{ __typename }');
  const upstream = await startScriptedUpstream();
  const held = new HeldReplies();
  upstream.script(scriptOf(held));
  const settings = {
    PERSISTED_OPERATIONS: folder,
    FIELD_USAGE: 'true',
    REPORT_CACHE_MS: '600000',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_SCHEDULE_DELAY: '1',
    UPSTREAM_RETRIES: '1',
    UPSTREAM_MAX_CONCURRENCY: '1',
    // Nothing listens there.
    SHARED_STATE_URL: 'redis://127.0.0.1:1',
  };
  const gateway = await startGateway(upstream.baseUrl, settings, { watchesProcess: true });
  const seen = (name: string, labels = {}) =>
    vi.waitFor(async () => expect(await valueOf(gateway, `switchboard_${name}`, labels)).toBeGreaterThan(0), soon);
  rmSync(folder, { recursive: true });
  // The first call is made again, and breaks the contract.
  await gateway.query(missions);
  for (const id of ['Missions', 'nameless', 'none'])
    await gateway.fetch(`/graphql?id=${id}`, { headers: { authorization: 'Bearer test-key' } });
  for (let time = 0; time < 2; time++) await gateway.query(breakdown);
  for (let time = 0; time < 2; time++) await gateway.query(missions, { key: 'limited' });
  await gateway.query(missions, { key: 'cut-off' });
  for (let time = 0; time < 24; time++) await gateway.query(summary, { key: `key-${time % 6}` });
  const alike = [1, 2].map(() => gateway.query('{ ipConnections { totalCount } }'));
  const queued = gateway.query(missions);
  await seen('upstream_calls_queued', { pool: 'calls' });
  held.release(200, { data: [], meta: { total_results: 0, page_size: 1 } });
  await Promise.all([...alike, queued]);
  (await openSocket(gateway)).ws.terminate();
  await seen('websockets_closed_total');
  await seen('trace_spans_total', { outcome: 'failed' });
  return {
    ...gateway,
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}
