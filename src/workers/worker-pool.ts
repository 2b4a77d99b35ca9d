import { failedStarts } from '../bounds.ts';
import type { Log } from '../telemetry/log.ts';
import type { Listening } from './protocol.ts';
import { createReplacement, type Replacement } from './replacement.ts';
import type { WorkerHandle } from './worker-handle.ts';

export interface WorkerPoolOptions {
  readonly count: number;
  /** Starts a worker of this number, from 0 on. */
  readonly start: (index: number) => WorkerHandle;
  readonly log: Log;
  /** Runs when no worker serves and none can be started. */
  readonly giveUp: () => void;
  /** Runs for each worker that is replaced. */
  readonly countReplaced: () => void;
}

/** The workers of a process, a fixed number of them. A worker that ends is replaced, the sooner the longer it has served. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #replacements: readonly Replacement[];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #all = new Set<WorkerHandle>();
  readonly #serving = new Set<WorkerHandle>();
  #failedStarts = 0;
  #isStopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#replacements = Array.from({ length: options.count }, createReplacement);
  }

  /** Those that serve, and those that start or end. */
  get all(): readonly WorkerHandle[] {
    return [...this.#all];
  }

  /** Starts a worker, and replaces it from then on whenever it ends. Rejects where the worker cannot start. */
  async start(index: number): Promise<Listening> {
    const worker = this.#start(index);
    const listening = await worker.listening;
    this.#failedStarts = 0;
    this.#serving.add(worker);
    void this.#replaceAfter(worker, index);
    return listening;
  }

  /** The same; a worker that cannot start is replaced. */
  async startOrReplace(index: number): Promise<void> {
    try {
      await this.start(index);
    } catch (error) {
      this.#failedStarts += 1;
      this.#replace(index, 0, (error as Error).message);
    }
  }

  /** Replaces no worker from now on. */
  stop(): void {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #start(index: number): WorkerHandle {
    const worker = this.#options.start(index);
    this.#all.add(worker);
    void worker.ended.then(() => this.#all.delete(worker));
    return worker;
  }

  async #replaceAfter(worker: WorkerHandle, index: number): Promise<void> {
    const since = performance.now();
    const reason = await worker.leaving;
    this.#serving.delete(worker);
    this.#replace(index, performance.now() - since, reason);
  }

  #replace(index: number, servedMs: number, reason: string): void {
    const { log, giveUp, countReplaced } = this.#options;
    if (this.#isStopping) return;
    const serving = this.#serving.size;
    if (serving === 0 && this.#failedStarts >= failedStarts) {
      log.fatal({ reason }, 'no worker can start');
      giveUp();
      return;
    }
    const waitMs = this.#replacements[index]?.nextWait(servedMs) ?? 0;
    log.error({ worker: index, reason, waitMs, serving }, 'a worker has ended and is replaced');
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      countReplaced();
      void this.startOrReplace(index);
    }, waitMs);
    this.#timers.add(timer);
  }
}
