import { Worker as Thread } from 'node:worker_threads';
import type { MemoryStore } from '../fleet/memory-store.ts';
import type { MainFunctions, Listening, WorkerFunctions, WorkerStart } from './protocol.ts';
import { connectThreads, type Remote } from './remote.ts';
import { watchForHanging } from './watchdog.ts';
import { bufferOf, receivedClaim } from './worker-store.ts';

/** One thread that serves, as the main thread sees it. */
export interface WorkerHandle {
  readonly remote: Remote<WorkerFunctions>;
  /** Rejects where the worker cannot start; its message is one line for operators. */
  readonly listening: Promise<Listening>;
  /** Resolves once the worker takes no more requests: it has ended, or it ends after a failure. With the reason, as text. */
  readonly leaving: Promise<string>;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  /** Ends the thread at once. */
  terminate(): Promise<unknown>;
}

/** What the main thread does for its workers. */
export type Services = Pick<MainFunctions, 'log' | 'printMetrics' | 'packPages'>;

const program = new URL('worker-program.ts', import.meta.url);

/** Starts a worker. */
export function startWorker(start: WorkerStart, services: Services, store: MemoryStore): WorkerHandle {
  const thread = new Thread(program, { workerData: start });
  const listening = Promise.withResolvers<Listening>();
  const leaving = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  // Whoever waits for it learns of the failure.
  listening.promise.catch(() => {});
  let reason = 'it has ended';
  let endWatch = (): void => {};
  const terminateHanging = (): void => {
    reason = 'it hangs';
    void thread.terminate();
  };
  const remote = connectThreads<WorkerFunctions, MainFunctions>(thread, {
    listens(addresses: Listening) {
      listening.resolve(addresses);
      endWatch = watchForHanging(() => remote.call('ping', null), terminateHanging);
    },
    cannotStart(message: string) {
      listening.reject(new Error(message));
      void thread.terminate();
    },
    leaves: () => leaving.resolve('nothing has handled one of its failures'),
    log: services.log,
    printMetrics: services.printMetrics,
    packPages: services.packPages,
    sendNotice: ({ notice, keepMs }) => storeClient.send(notice, keepMs),
    lookAtFeed: ({ feed, claim, after }) => storeClient.look(feed, receivedClaim(claim), after),
    renewFeed: ({ feed, claim, entry }) => storeClient.renew(feed, receivedClaim(claim), entry && bufferOf(entry)),
    releaseFeed: ({ feed, token }) => storeClient.release(feed, token),
  });
  const storeClient = store.connect({
    notice: (notice) => remote.notify('notice', notice),
    wake: (feed) => remote.notify('wakeFeed', feed),
  });
  thread.on('error', (error: unknown) => {
    // A message could quote what the worker was working on.
    const { name, code } = error as NodeJS.ErrnoException;
    reason = `it has failed (${code ?? name})`;
  });
  thread.once('exit', () => {
    endWatch();
    remote.end();
    storeClient.disconnect();
    listening.reject(new Error(`a worker has ended while it started: ${reason}`));
    leaving.resolve(reason);
    ended.resolve();
  });
  return {
    remote,
    listening: listening.promise,
    leaving: leaving.promise,
    ended: ended.promise,
    terminate: () => thread.terminate(),
  };
}
