import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { webhookDeliveryRecord } from '../../support/records.ts';
import type { Reply, SeenRequest } from '../../support/scripted-upstream.ts';
import { startHostileGateway } from '../gateway-process.ts';
import type { Crowd, CrowdOptions } from './readers.ts';

/** Streams of one caller, and the deliveries that polls bring them. */
export interface StreamCase extends Pick<CrowdOptions, 'streams' | 'reading' | 'isAlike'> {
  /** Bytes of one delivery, and deliveries of one poll. */
  readonly eventBytes: number;
  readonly burst: number;
  /** Polls that bring so many. */
  readonly bursts: number;
}

/** What the gateway has seen of itself. */
interface Watched {
  readonly longestHoldMs: number;
  readonly busyMs: number;
  readonly peakBytes: number;
  readonly peakRss: number;
  readonly executions: number;
}

/** How a case went. */
export interface Verdict extends Watched {
  /** How much more memory it took at most than at rest, and after all had left. */
  readonly grownBytes: number;
  readonly keptBytes: number;
  /** The longest that another caller waited; null for the fault where that one was not served as usual. */
  readonly otherMs: number;
  readonly otherFault: string | null;
  /** Whether the process has died. */
  readonly hasDied: boolean;
  /** Events that the reader got who read all and got fewest, of those that there were. */
  readonly leastEvents: number;
  readonly ended: number;
}

export interface CaseOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly fault?: string;
  /** How long readers may take for one burst, in milliseconds. */
  readonly patienceMs?: number;
}

const watch = new URL('hold-watch.ts', import.meta.url);
const unreadMs = 500;
const leaveMs = 10_000;

/** Runs one case against a gateway of its own. */
export async function runCase(
  one: StreamCase,
  { env = {}, fault, patienceMs = 60_000 }: CaseOptions = {},
): Promise<Verdict> {
  const list = createList(one);
  const planted = new URL(`planted-fault.ts?${encodeURIComponent(fault ?? '')}`, import.meta.url);
  await using gateway = await startHostileGateway({
    script: list.answer,
    heapMiB: 1_024,
    env: { SUBSCRIPTION_POLL_MS: '100', RESPONSE_STALL_TIMEOUT_MS: '600000', ...env },
    preloads: fault === undefined ? [watch] : [watch, planted],
  });
  let prints = 0;
  const look = async (): Promise<Watched | null> => {
    gateway.program.kill('SIGIO');
    const printed = gateway.program.printed(new RegExp(`^watch ${++prints}: (\\{.*\\})\\n`, 'm'));
    return printed.then(([, json = '{}']) => JSON.parse(json) as Watched).catch(() => null);
  };
  const rest = await gateway.read();
  const crowd = startCrowd({ url: gateway.url, key: 'a-key', ...one });
  while ((await crowd.ask()).begun < one.streams) await wait(50);
  await look();
  const other = watchOther(() => gateway.askAsGoodCaller());
  let peak: Watched = { longestHoldMs: 0, busyMs: 0, peakBytes: 0, peakRss: 0, executions: 0 };
  let last = await crowd.ask();
  for (let burst = 1; burst <= one.bursts && gateway.ended === null; burst++) {
    list.add();
    const until = performance.now() + (one.reading === 'none' ? unreadMs : patienceMs);
    do {
      await wait(100);
      const seen = await look();
      if (seen === null) break;
      peak = {
        longestHoldMs: Math.max(peak.longestHoldMs, seen.longestHoldMs),
        busyMs: peak.busyMs + seen.busyMs,
        peakBytes: Math.max(peak.peakBytes, seen.peakBytes),
        peakRss: Math.max(peak.peakRss, seen.peakRss),
        executions: peak.executions + seen.executions,
      };
      last = await crowd.ask();
    } while (performance.now() < until && last.least < one.burst * burst);
  }
  const { slowestMs, fault: otherFault } = await other.stop();
  const hasDied = gateway.ended !== null;
  await crowd.leave();
  const until = performance.now() + leaveMs;
  let after = hasDied ? rest : await gateway.read();
  while (after.sockets > rest.sockets && performance.now() < until) after = await gateway.read();
  const restBytes = rest.heapBytes + rest.externalBytes;
  return {
    ...peak,
    grownBytes: peak.peakBytes - restBytes,
    keptBytes: after.heapBytes + after.externalBytes - restBytes,
    otherMs: Math.round(slowestMs),
    otherFault,
    hasDied,
    leastEvents: last.least,
    ended: last.ended,
  };
}

/** A list that is empty at first, to which bursts come. */
function createList({ eventBytes, burst }: StreamCase) {
  const text = 'x'.repeat(eventBytes);
  let rows: readonly string[] = [];
  let moment = Date.parse('2026-10-01T00:00:00Z');
  let made = 0;
  return {
    answer: ({ query }: SeenRequest): Reply => ({
      // As text: an API that takes its time to write would hold the readers up.
      text: `{"data":[${query['page[number]'] === '1' ? rows.join() : ''}],"meta":{"total_results":${rows.length}}}`,
      headers: { 'content-type': 'application/json' },
    }),
    add(): void {
      // Beyond the overlap, so that polls do not read the burst before again.
      moment += 120_000;
      rows = Array.from({ length: burst }, () => {
        const started = new Date((moment += 1)).toISOString();
        return JSON.stringify(
          webhookDeliveryRecord({ id: `d-${made++}`, started_at: started, webhook: { payload: { text } } }),
        );
      }).toReversed();
    },
  };
}

function startCrowd(options: CrowdOptions) {
  const worker = new Worker(new URL('readers.ts', import.meta.url), { workerData: options });
  return {
    async ask(): Promise<Crowd> {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage('how');
      const [told] = await once(worker, 'message');
      return told as Crowd;
    },
    async leave(): Promise<void> {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage('leave');
      await once(worker, 'exit');
    },
  };
}

/** Asks as another caller again and again. */
function watchOther(ask: () => Promise<string | null>) {
  const patience = new AbortController();
  let slowestMs = 0;
  let fault: string | null = null;
  const asking = (async () => {
    while (!patience.signal.aborted) {
      const started = performance.now();
      const found = await ask();
      slowestMs = Math.max(slowestMs, performance.now() - started);
      fault ??= found;
      await wait(20);
    }
  })();
  return {
    async stop() {
      patience.abort();
      await asking;
      return { slowestMs, fault };
    },
  };
}
