import cluster, { type Worker } from 'node:cluster';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { App } from '../app.ts';
import { lastLogMs, stopMs } from '../bounds.ts';
import type { AppConfig } from '../config.ts';
import type { Log } from '../telemetry/log.ts';
import { createMergedMetrics, type MergedMetrics, type Metrics, type MetricsSnapshot } from '../telemetry/metrics.ts';
import type { SandboxControls } from '../http/endpoints.ts';
import { withTimeout } from '../cancellation.ts';
import { connectProcesses, type Listening, type MainFunctions, type Remote, type WorkerFunctions } from './channel.ts';

/** Milliseconds before the log is written last, from which on workers that go on are ended, so that the last of their log is read. */
const lastWorkersMs = 250;

/** Milliseconds before a worker that has ended is replaced, doubled with each that ends soon, up to the longest. */
const replacementMs = { first: 100, longest: 30_000 } as const;

/** Milliseconds that a worker must have served before its end counts as the first again. */
const steadyMs = 60_000;

/** Milliseconds between two questions to a worker whether it lives. */
export const pingMs = 5_000;

/** Questions in a row without an answer after which a worker hangs: no honest work holds the event loop for half a minute. */
export const hungAfterPings = 6;

/** Workers that fail one after another at their start, while none serves, before the process gives up. */
const failedStarts = 5;

/** Milliseconds for the metrics of a worker: one whose event loop is held is left out, with its figures of the time before. */
const snapshotMs = 1_000;

export interface WorkersOptions {
  readonly count: number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The embedded sandbox, in this process; null where there is none. */
  readonly sandbox: SandboxControls | null;
  /** Writes lines to the log of the process. */
  readonly writeLines: (lines: string) => void;
  /** Ends the process, with exit code 1. */
  readonly giveUp: () => void;
}

/** How many milliseconds the sandbox's present is ahead of the machine's clock. */
function aheadOf(sandbox: SandboxControls): number {
  return sandbox.now() - Date.now();
}

/** V8 takes no code that was compiled under other flags: in one cache, workers and the main process would replace each other's. */
function environmentOfWorker(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: join(cache, 'workers') };
}

/** One process that serves, as the main process sees it. */
interface Member {
  readonly process: Worker['process'];
  readonly remote: Remote<WorkerFunctions>;
  /** Rejects where the worker cannot start; its message is one line for operators. */
  readonly listening: PromiseWithResolvers<Listening>;
  /** Resolves once the worker takes no more requests: it cannot start, has ended, or ends after a failure. With the reason, as text. */
  readonly leaving: PromiseWithResolvers<string>;
  /** Resolves when the process has ended and its log has been read. */
  readonly ended: Promise<void>;
  state: 'starting' | 'serving' | 'leaving';
  /** Its metrics as they were printed last. */
  snapshot: MetricsSnapshot;
}

/** Starts several workers, processes with a gateway each, on the same ports. Rejects where the first cannot start. */
export async function startWorkers(config: AppConfig, options: WorkersOptions): Promise<App> {
  const exec = fileURLToPath(new URL('worker-program.ts', import.meta.url));
  cluster.setupPrimary({ exec, serialization: 'advanced', stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const pool = new WorkerPool(config, options);
  process.once('exit', () => pool.kill());
  const first = pool.fork(0);
  const addresses = await first.listening.promise;
  const others = Array.from({ length: options.count - 1 }, (_, index) => pool.fork(index + 1));
  for (const [index, member] of [first, ...others].entries()) void pool.keep(index, member);
  // One that fails is logged, and replaced in time.
  await Promise.allSettled(others.map(({ listening }) => listening.promise));
  return {
    ...addresses,
    retire: () => pool.stop(),
    close: () => pool.stop(),
  };
}

/** The workers of a gateway, a fixed number of them. A worker that ends is replaced, the sooner the longer it has served. */
class WorkerPool {
  readonly #metrics: MergedMetrics;
  readonly #config: AppConfig;
  readonly #options: WorkersOptions;
  /** Those that serve, and those that start or end. */
  readonly #all = new Set<Member>();
  readonly #stopping = new AbortController();
  /** How many could not start since one could. */
  #failedStarts = 0;

  constructor(config: AppConfig, options: WorkersOptions) {
    this.#config = config;
    this.#options = options;
    this.#metrics = createMergedMetrics(options.metrics);
    const { sandbox } = options;
    sandbox?.whenSet(() => this.#all.forEach(({ remote }) => remote.notify('sandboxSet', aheadOf(sandbox))));
  }

  /** Replaces a worker of this number whenever it ends, until the pool stops or no worker can start. */
  async keep(index: number, first: Member): Promise<void> {
    const { log, giveUp } = this.#options;
    const { signal } = this.#stopping;
    let waitMs: number = replacementMs.first;
    for (let member = first; ; member = this.fork(index)) {
      const since = performance.now();
      const reason = await member.leaving.promise;
      if (signal.aborted) return;
      if (member.state === 'starting') this.#failedStarts += 1;
      member.state = 'leaving';
      const serving = this.#serving.length;
      if (serving === 0 && this.#failedStarts >= failedStarts) {
        log.fatal({ reason }, 'no worker can start');
        return giveUp();
      }
      if (performance.now() - since >= steadyMs) waitMs = replacementMs.first;
      log.error({ worker: index, reason, waitMs, serving }, 'a worker has ended and is replaced');
      await sleep(waitMs, null, { signal }).catch(() => {});
      if (signal.aborted) return;
      waitMs = Math.min(replacementMs.longest, 2 * waitMs);
      this.#options.metrics.countReplaced();
    }
  }

  /** Ends all workers, those that serve once their requests have ended. Resolves in bounded time, when all are gone. */
  async stop(): Promise<void> {
    const { signal } = this.#stopping;
    if (!signal.aborted) {
      this.#stopping.abort();
      setTimeout(() => this.kill(), stopMs - lastLogMs - lastWorkersMs).unref();
      for (const { state, process, remote } of this.#all) {
        if (state === 'starting') process.kill('SIGKILL');
        else remote.notify('stop');
      }
    }
    await Promise.all([...this.#all].map(({ ended }) => ended));
  }

  /** Ends all workers at once. */
  kill(): void {
    for (const member of this.#all) member.process.kill('SIGKILL');
  }

  get #serving(): readonly Member[] {
    return [...this.#all].filter(({ state }) => state === 'serving');
  }

  /** Starts a worker of this number. */
  fork(index: number): Member {
    const { count, sandbox, writeLines } = this.#options;
    const worker = cluster.fork(environmentOfWorker());
    closeUndelivered(worker.process);
    // What cannot be sent to a worker that has just ended is no failure of this process.
    worker.on('error', () => {});
    const listening = Promise.withResolvers<Listening>();
    const leaving = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<void>();
    // Not all wait for it.
    listening.promise.catch(() => {});
    const leave = (reason: string): void => {
      listening.reject(new Error(reason));
      leaving.resolve(reason);
    };
    const end = (reason: string): void => {
      leave(reason);
      worker.process.kill('SIGKILL');
    };
    const remote = connectProcesses<WorkerFunctions, MainFunctions>(worker, {
      begin: () => ({ config: configOfWorker(this.#config, index, count), aheadMs: sandbox && aheadOf(sandbox) }),
      askSandbox: async (request) => sandbox?.respond(request),
      listens: (addresses) => {
        member.state = 'serving';
        this.#failedStarts = 0;
        listening.resolve(addresses);
        watchForHanging(
          () => remote.call('ping'),
          () => end('it hangs'),
        );
      },
      cannotStart: end,
      leaves: () => leave('nothing has handled one of its failures'),
      ends: (snapshot) => void (member.snapshot = snapshot),
      printMetrics: () => this.#metrics.print(Promise.all([...this.#all].map(snapshotOf))),
      tell: (channel, message) => {
        for (const other of this.#serving) if (other !== member) other.remote.notify('hear', channel, message);
      },
    });
    // Its standard output has been read to the end by then.
    worker.process.once('close', () => {
      this.#all.delete(member);
      this.#metrics.retain(member.snapshot);
      ended.resolve();
    });
    const member: Member = {
      process: worker.process,
      remote,
      listening,
      leaving,
      ended: ended.promise,
      state: 'starting',
      snapshot: [],
    };
    this.#all.add(member);
    passLines(worker.process.stdout, writeLines);
    worker.process.once('exit', (code, signal) => {
      const reason = signal === null ? `it has ended with exit code ${code}` : `it was ended by ${signal}`;
      leave(member.state === 'starting' ? `a worker has ended while it started: ${reason}` : reason);
    });
    return member;
  }
}

/** What Node's cluster sends with a connection, and the answer that names it. */
interface Delivery {
  readonly act?: string;
  readonly seq: number;
  readonly ack?: number;
}

/**
 * Closes the connections that were on their way to a worker when it ended: Node's cluster waits for the worker's answer for ever, and
 * would keep them open without one.
 */
function closeUndelivered(worker: Worker['process']): void {
  const underWay = new Map<number, { close(): void }>();
  const send = worker.send.bind(worker) as (
    message: Delivery,
    handle?: { close(): void },
    ...rest: unknown[]
  ) => boolean;
  const deliver: typeof send = (message, handle, ...rest) => {
    if (message.act === 'newconn' && handle !== undefined) underWay.set(message.seq, handle);
    return send(message, handle, ...rest);
  };
  Object.assign(worker, { send: deliver });
  worker.on('internalMessage' as 'message', (message) => void underWay.delete((message as Delivery).ack ?? -1));
  const closeAll = (): void => {
    for (const handle of underWay.values()) handle.close();
    underWay.clear();
  };
  worker.once('exit', closeAll);
  worker.once('disconnect', closeAll);
}

/** The metrics of a worker; those that it had before, where it does not answer in time. */
async function snapshotOf(member: Member): Promise<MetricsSnapshot> {
  const snapshot = await withTimeout(member.remote.call('snapshot'), snapshotMs).catch(() => null);
  if (snapshot !== null) member.snapshot = snapshot;
  return member.snapshot;
}

/** Hands on whole lines. What a worker has written of a line when it ends is dropped. */
function passLines(stream: Readable | null, write: (lines: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) write(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
}

/**
 * Asks a worker for a sign of life again and again, and runs `giveUp` once when several in a row have not been answered.
 * Unanswered questions are counted, not seconds: a process that was stopped for a while has missed one.
 */
export function watchForHanging(ping: () => Promise<unknown>, giveUp: () => void): void {
  let unanswered = 0;
  const timer = setInterval(() => {
    if (unanswered >= hungAfterPings) {
      clearInterval(timer);
      giveUp();
      return;
    }
    unanswered += 1;
    void ping().then(() => (unanswered = 0));
  }, pingMs);
  timer.unref();
}

/** What the whole process may have, and each worker a part of. */
const divided = [
  'upstreamMaxConcurrency',
  'upstreamQueueSize',
  'upstreamMaxHeldBytes',
  'reportCacheBytes',
  'subscriptionMaxFeeds',
  'subscriptionMaxStreams',
  'subscriptionBufferBytes',
  'websocketMaxSockets',
] as const;

/** The settings of one worker of several: its part of what the process may have. All parts together are the whole. */
export function configOfWorker(config: AppConfig, index: number, count: number): AppConfig {
  const parts = divided.map((name) => [name, Math.floor((config[name] + index) / count)] as const);
  return { ...config, workerCount: count, ...Object.fromEntries(parts) };
}
