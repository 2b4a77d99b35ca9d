import { startApp, type App } from '../app.ts';
import { lastLogMs } from '../bounds.ts';
import { withTimeout } from '../cancellation.ts';
import { endStart, guardProcess, prepareProcess } from './process-guard.ts';
import { createLog, standardOutput } from '../telemetry/log.ts';
import { createWarmUp } from './warm-up.ts';
import type { SandboxControls } from '../http/endpoints.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { connectProcesses, type MainFunctions, type Port, type WorkerFunctions } from './channel.ts';

// The program of a worker: one gateway in a process of its own, whose standard output the main process reads. Node ends it when the
// main process is gone.

const watchers = new Map<string, (message: Buffer) => void>();
const whenSet: (() => void)[] = [];
let app: App | null = null;
let isReady = true;

const output = standardOutput();
const stop = prepareProcess(output, async () => {
  await app?.retire();
  await app?.close();
  const told = metrics.snapshot().then((snapshot) => main.call('ends', snapshot));
  await withTimeout(told, lastLogMs).catch(() => {});
});

const main = connectProcesses<MainFunctions, WorkerFunctions>(process as Port, {
  async stop() {
    isReady = false;
    await stop();
  },
  sandboxSet(ahead) {
    aheadMs = ahead;
    whenSet.forEach((run) => run());
  },
  hear: (channel, message) => watchers.get(channel)?.(message),
  ping: () => {},
  // It is asked once it has begun.
  snapshot: () => metrics.snapshot(),
});

// A terminal and some service managers send their signals to all processes of a group; the main process says what they mean.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
const { config, aheadMs: aheadAtFirst } = await main.call('begin');
let aheadMs = aheadAtFirst ?? 0;
/** The sandbox, which the main process has. */
const sandbox: SandboxControls = {
  now: () => Date.now() + aheadMs,
  respond: async (request) => (await main.call('askSandbox', request)) ?? { status: 404, body: { errors: [] } },
  whenSet: (run) => void whenSet.push(run),
};
const log = createLog(config.logLevel, output);
const metrics = createMetrics(log.linesLost);
try {
  app = await startApp(config, {
    log,
    ...(aheadAtFirst !== null && { sandbox }),
    metrics: { ...metrics, print: () => main.call('printMetrics') },
    workerNotices: {
      send: (channel, message) => main.notify('tell', channel, message),
      watch(channel, hear) {
        watchers.set(channel, hear);
        return () => void watchers.delete(channel);
      },
    },
    isReady: () => isReady,
    warmUp: createWarmUp(config),
  });
  guardProcess(log, metrics, (exitCode) => {
    main.notify('leaves');
    return stop(exitCode);
  });
  main.notify('listens', { url: app.url, adminUrl: app.adminUrl });
  endStart();
} catch (error) {
  main.notify('cannotStart', (error as Error).message);
}
