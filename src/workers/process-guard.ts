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
}

/** Lets V8's room for young objects double where they fill it, which main.cjs keeps it from until the start is over. */
export function letYoungSpaceGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
