import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { lastLogMs, stopMs } from '../bounds.ts';
import { withTimeout } from '../cancellation.ts';
import { describeFailure, type LineOutput, type Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The last of `lastLogMs`: a write that takes longer is one that the system holds. Others are just under way on a busy machine. */
const logHeldMs = 100;

/** Stops this process in bounded time; only the first call does. An exit code other than 0 stays, whichever call gives it. */
export type Stop = (exitCode?: number) => Promise<void>;

/** Prepares a process that serves, before anything else in it. `close` closes what is open; the log is written behind it. */
export function prepareProcess(output: LineOutput, close: () => Promise<unknown>): Stop {
  // Node would open its debugger to all users of the machine at the first, and end at the second.
  for (const unused of ['SIGUSR1', 'SIGUSR2']) process.on(unused, () => {});
  let isStopping = false;
  return async (exitCode = 0) => {
    process.exitCode ||= exitCode;
    if (isStopping) return;
    isStopping = true;
    // Bounds what has no bound of its own.
    setTimeout(() => void exit(output), stopMs - lastLogMs);
    await close();
    await exit(output);
  };
}

/** Ends the process once its log is written or lost. An exit would wait for a write that the system holds: only a kill does not. */
async function exit(output: LineOutput): Promise<void> {
  const written = new Promise<void>((resolve) => output.flush(resolve));
  await withTimeout(written, lastLogMs - logHeldMs).catch(() => {});
  if (await output.isHeld(logHeldMs)) process.kill(process.pid, 'SIGKILL');
  process.exit();
}

/**
 * Catches what nothing else has caught. An unhandled rejection means that the work of one request has failed, so it is reported
 * and the process goes on. After an uncaught exception the state of the process is unknown, so it is reported and the process
 * stops as it does at a signal, with exit code 1.
 */
export function guardProcess(log: Log, metrics: Pick<Metrics, 'countUnhandled'>, stop: Stop): void {
  const report = (cause: unknown): void => {
    metrics.countUnhandled();
    log.error({ error: describeFailure(cause) }, 'internal error');
  };
  process.on('unhandledRejection', report);
  process.on('uncaughtException', (cause) => {
    report(cause);
    void stop(1);
  });
}

/** Ends the start of a process, which serves by now. */
export function endStart(): void {
  // The next start finds the compile cache. Node itself would write it only at a regular exit.
  flushCompileCache();
  // V8's room for young objects doubles where they fill it, from which main.cjs has kept it until now.
  setFlagsFromString('--semi-space-growth-factor=2');
}
