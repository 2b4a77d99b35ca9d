import { setFlagsFromString } from 'node:v8';

/** The parts that act on failures that nothing has handled. */
export interface ProcessGuardOptions {
  /** Called with the cause of each failure. */
  readonly report: (cause: unknown) => void;
  /** Ends the process in bounded time, with the exit code that is set. A second call does nothing. */
  readonly stop: () => void;
}

/**
 * Catches what nothing else has caught. An unhandled rejection means that the work of one request has failed, so it is reported
 * and the process goes on. After an uncaught exception the state of the process is unknown, so it is reported and the process
 * stops as it does at a signal, with exit code 1.
 */
export function guardProcess({ report, stop }: ProcessGuardOptions): void {
  process.on('unhandledRejection', report);
  process.on('uncaughtException', (cause) => {
    report(cause);
    process.exitCode = 1;
    stop();
  });
}

/** Prepares a process that serves, before anything else in it. */
export function prepareProcess(): void {
  // Node would open its debugger to all users of the machine at the first, and end at the second.
  for (const unused of ['SIGUSR1', 'SIGUSR2']) process.on(unused, () => {});
  keepRequestsYoung();
  setYoungSpaceGrowth(1);
}

/**
 * Keeps V8 from allocating objects of requests among the old ones, as it does at places where it has seen some survive. They are
 * dead a millisecond later, but until all memory is collected they keep alive what they refer to: all else of their requests.
 */
function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Keeps V8's room for young objects as it is, or lets it double where they fill it. What the start creates stays, so V8 would give
 * young objects 32 MB by its end, and take none of it back from a process that waits.
 */
export function setYoungSpaceGrowth(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
