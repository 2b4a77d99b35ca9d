import { setFlagsFromString } from 'node:v8';
import { Agent } from 'undici';
import { startApp, type AppOptions } from '../app.ts';
import { nativeSignal, type CancelSignal } from '../cancellation.ts';
import type { AppConfig } from '../config.ts';
import { createLog } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';

/** Milliseconds after which a process is ready even where the machine has left it no time to warm up. */
const mostWarmUpMs = 10_000;

/** Callers of a warm-up, whose requests are under way at once. */
const warmUpCallers = 8;

// What clients usually ask: each list and report, in each form. V8 compiles what these pass, whatever their fields.
const operations = [
  `query Connections($first: Int!) { ipConnections(first: $first) {
    totalCount nodes { id connectionName active tags createdAt inbound { codecs } } pageInfo { hasNextPage endCursor }
  } }`,
  `query ConnectionEdges($first: Int!) { ipConnections(first: $first) {
    edges { cursor node { id nodeId connectionName transportProtocol } } pageInfo { hasNextPage endCursor }
  } }`,
  `query Deliveries($first: Int!) { webhookDeliveries(first: $first) {
    edges { cursor node { id status startedAt webhook { eventType occurredAt }
      attempts { status errors http { request { url headers { name value } } response { status body } } } } }
    pageInfo { hasNextPage endCursor }
  } }`,
  `query Missions($first: Int!) { missions(first: $first) {
    nodes { id name model metadata } pageInfo { hasNextPage endCursor }
  } }`,
  `query Summary { chargesSummary(startDate: "2026-09-01", endDate: "2026-10-01") {
    currency total { newMrc grandTotal }
    summary { lines {
      ... on ComparativeLine { type name newThisMonth { quantity mrc otc } }
      ... on SimpleLine { type name quantity amount }
    } }
  } }`,
  `query Breakdown($first: Int!) { chargesBreakdown(startDate: "2026-09-01", endDate: "2026-10-01") {
    results(first: $first) { totalCount nodes { tn chargeType services { name cost } } }
  } }`,
];

// What the warm-up's own gateways leave out: ports, pages, and whatever others share or see.
const plain = {
  host: '127.0.0.1',
  port: 0,
  adminPort: null,
  explorer: false,
  mcp: false,
  persistedOperations: null,
  persistedOperationsOnly: false,
  sharedStateUrl: null,
  tracing: null,
  corsOrigins: null,
} as const;

/**
 * Returns the warm-up of a gateway: it sends usual operations to two others in front of the sandbox, in this process and over
 * loopback, for `warmUpMs` of processor time. All run the same code, and V8 compiles what runs often. It ends with the first request
 * of anybody: what clients ask has its bounds, and the warm-up would come on top of them.
 */
export function createWarmUp(config: AppConfig): NonNullable<AppOptions['warmUp']> {
  return async (over, schema) => {
    if (config.warmUpMs === 0 || over.aborted) return;
    const { startSandbox } = await import('../sandbox/server.ts');
    await using ends = new AsyncDisposableStack();
    const sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
    ends.defer(() => sandbox.close());
    // No other worker answers at its ports.
    const { workerCount: _workerCount, ...own } = config;
    const start = async (): Promise<string> => {
      const log = createLog(config.logLevel, { write: () => {} });
      const app = await startApp(
        { ...own, ...plain, upstreamBaseUrl: sandbox.baseUrl },
        { log, schema, metrics: createMetrics(undefined, false) },
      );
      ends.defer(() => app.close());
      return app.url;
    };
    // Of one gateway alone V8 would compile code that knows its very functions, and the main one would begin anew.
    const urls = [await start(), await start()];
    // V8 itself waits for ten times as many calls of a function.
    setFlagsFromString('--invocation-count-for-turbofan=300');
    ends.defer(() => setFlagsFromString('--invocation-count-for-turbofan=3000'));
    await spend(config.warmUpMs, over, urls);
  };
}

/** Sends operations until so many milliseconds of processor time are spent, or it is over. */
async function spend(budgetMs: number, over: CancelSignal, urls: readonly string[]): Promise<void> {
  const agent = new Agent();
  const signal = nativeSignal(over);
  /** Sends each operation once. Failures are nobody's: the next turn tries again. */
  const send = async (origin: string, caller: number): Promise<void> => {
    const headers = { authorization: `Bearer warm-up-${caller}`, 'content-type': 'application/json' };
    for (const query of operations) {
      const body = JSON.stringify({ query, variables: { first: 20 } });
      const response = await agent.request({ origin, path: '/graphql', method: 'POST', headers, body, signal });
      await response.body.dump();
    }
  };
  const end = performance.now() + mostWarmUpMs;
  let [micros, turn] = [0, 0];
  while (micros < budgetMs * 1_000 && !over.aborted && performance.now() < end) {
    const start = process.cpuUsage();
    const url = urls[turn++ % urls.length] as string;
    await Promise.allSettled(Array.from({ length: warmUpCallers }, (_, caller) => send(url, caller)));
    const { user, system } = process.cpuUsage(start);
    micros += user + system;
  }
  await agent.destroy();
}
