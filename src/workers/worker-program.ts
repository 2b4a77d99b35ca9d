import { flushCompileCache } from 'node:module';
import { workerData, parentPort, type MessagePort } from 'node:worker_threads';
import { startApp } from '../app.ts';
import { lastLogMs, stopMs } from '../bounds.ts';
import { guardProcess } from '../process-guard.ts';
import { createLog } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { MainFunctions, WorkerFunctions, WorkerStart } from './protocol.ts';
import { connectThreads } from './remote.ts';
import { createLogPipe } from './worker-log.ts';
import { createWorkerStore } from './worker-store.ts';

// The program of a worker: one gateway in a thread of its own.

const { config, isSandbox } = workerData as WorkerStart;
const started = Promise.withResolvers<Awaited<ReturnType<typeof startApp>>>();
started.promise.catch(() => {});
let isReady = true;

const main = connectThreads<MainFunctions, WorkerFunctions>(parentPort as MessagePort, {
  async retire() {
    isReady = false;
    await (await started.promise).retire();
  },
  async close() {
    isReady = false;
    await (await started.promise).close();
    await log.flushed(lastLogMs);
  },
  rereadTrusted: async () => (await started.promise).rereadTrusted?.(),
  ping: () => {},
  snapshot: () => metrics.snapshot(),
  notice: (notice) => shared.hear.notice(notice),
  wakeFeed: (feed) => shared.hear.wake(feed),
});

const log = createLog(
  config.logLevel,
  createLogPipe((lines) => main.call('log', lines)),
);
const metrics = createMetrics();
const shared = createWorkerStore(main);

/** Ends this worker alone: the others serve, and `/ready` stays. */
async function leave(): Promise<void> {
  main.notify('leaves', null);
  setTimeout(() => process.exit(), stopMs - lastLogMs);
  const app = await started.promise;
  await app.retire();
  await app.close();
  await log.flushed(lastLogMs);
  process.exit();
}

try {
  const app = await startApp(config, {
    log,
    isSandbox,
    metrics: { ...metrics, print: () => main.call('printMetrics', null) },
    packPages: (contents) => main.call('packPages', contents),
    sharesPorts: true,
    workerStore: shared.store,
    isReady: () => isReady,
  });
  guardProcess({ report: app.reportUnhandled, stop: () => void leave() });
  started.resolve(app);
  main.notify('listens', { url: app.url, adminUrl: app.adminUrl, hasTrusted: app.rereadTrusted !== null });
  flushCompileCache();
} catch (error) {
  main.notify('cannotStart', (error as Error).message);
}
