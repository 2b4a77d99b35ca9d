import type { App } from '../app.ts';
import { MemoryStore } from '../fleet/memory-store.ts';
import type { AppConfig } from '../config.ts';
import { describeFailure, type Log } from '../telemetry/log.ts';
import { createPagePacker } from './page-packer.ts';
import { createWorkerMetrics, type WorkerMetrics } from './worker-metrics.ts';
import { WorkerPool } from './worker-pool.ts';
import { claimPorts } from './port-claim.ts';
import type { Listening } from './protocol.ts';
import { configOfWorker } from './worker-config.ts';
import { startWorker, type Services, type WorkerHandle } from './worker-handle.ts';

export interface WorkersOptions {
  readonly count: number;
  readonly log: Log;
  /** Whether the embedded sandbox stands in for the API. */
  readonly isSandbox: boolean;
  /** Writes lines to the log of the process. */
  readonly writeLines: (lines: string) => void;
  /** Ends the process, with exit code 1. */
  readonly giveUp: () => void;
}

/** Starts several workers, threads with a gateway each, on the same ports. Rejects where the first cannot start. */
export async function startWorkers(config: AppConfig, options: WorkersOptions): Promise<App> {
  const { count, log, isSandbox } = options;
  await claimPorts(config);
  const metrics = createWorkerMetrics(log.linesLost);
  const store = new MemoryStore();
  const services: Services = {
    log: async (lines) => options.writeLines(lines),
    printMetrics: () => metrics.print(pool.all),
    packPages: createPagePacker(),
  };
  // The first worker chooses the ports where the system may choose.
  let shared = config;
  const pool = new WorkerPool({
    ...options,
    countReplaced: () => metrics.countReplaced(),
    start(index) {
      const worker = startWorker({ config: configOfWorker(shared, index, count), isSandbox }, services, store);
      void worker.ended.then(() => metrics.retain(worker));
      return worker;
    },
  });
  const first = await pool.start(0);
  const chosen = portsOf(first);
  await claimPorts({
    host: config.host,
    port: config.port === 0 ? chosen.port : 0,
    adminPort: config.adminPort === 0 ? chosen.adminPort : null,
  });
  shared = { ...config, ...chosen };
  // One that fails is logged, and replaced in time.
  await Promise.all(Array.from({ length: count - 1 }, (_, index) => pool.startOrReplace(index + 1)));
  return createApp(pool, first, metrics, log);
}

function createApp(pool: WorkerPool, first: Listening, metrics: WorkerMetrics, log: Log): App {
  const ask = (run: (worker: WorkerHandle) => Promise<unknown>): Promise<unknown> =>
    Promise.allSettled(pool.all.map(run));
  return {
    url: first.url,
    adminUrl: first.adminUrl,
    rereadTrusted: first.hasTrusted
      ? async () => void (await ask(({ remote }) => remote.call('rereadTrusted', null)))
      : null,
    reportUnhandled(cause) {
      metrics.countUnhandled();
      log.error({ error: describeFailure(cause) }, 'internal error');
    },
    async retire() {
      pool.stop();
      await ask(({ remote }) => remote.call('retire', null));
    },
    async close() {
      pool.stop();
      await ask(async (worker) => {
        // A worker that has ended meanwhile is closed.
        await worker.remote.call('close', null).catch(() => {});
        await worker.terminate();
      });
    },
  };
}

function portsOf({ url, adminUrl }: Listening): Pick<AppConfig, 'port' | 'adminPort'> {
  const portOf = (address: string): number => Number(new URL(address).port);
  return { port: portOf(url), adminPort: adminUrl === null ? null : portOf(adminUrl) };
}
