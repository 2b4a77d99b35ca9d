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
