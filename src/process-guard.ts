/** What is told of failures that nobody handled. */
export interface ProcessGuardOptions {
  /** Told of each. */
  readonly report: (cause: unknown) => void;
  /** Ends the process with the exit code that it has, in bounded time; called again it does nothing. */
  readonly stop: () => void;
}

/**
 * The net below everything else. A rejection that nobody handled is reported, and the process goes on: the work of one
 * request has failed. After an exception that nobody caught, nothing is known of the state of the process: it is reported, and
 * the process stops as it does by a signal, with exit code 1.
 */
export function guardProcess({ report, stop }: ProcessGuardOptions): void {
  process.on('unhandledRejection', report);
  process.on('uncaughtException', (cause) => {
    report(cause);
    process.exitCode = 1;
    stop();
  });
}
