import type { Fault } from './fault.ts';
import type { GatewayProcess } from '../hostile/gateway-process.ts';
import type { Reading } from '../hostile/reading.ts';

const mebibyte = 1_048_576;
// The longest that the event loop may be held by one batch, on a machine that is busy with other things too.
const mostLagMs = 1_000;
/** The most that all caches may hold together, and the difference between two readings of a heap. */
export const mostKeptMiB = 64 + 24;
const settleMs = 10_000;

/** The broken promises of the process itself: it lives, it serves, its event loop was not held, and it reported no fault. */
export async function faultsOfProcess(gateway: GatewayProcess): Promise<readonly Fault[]> {
  const served = await gateway.askAsGoodCaller();
  const glance = gateway.ended === null ? await gateway.glance().catch(() => null) : null;
  const { out, err } = gateway.program;
  if (gateway.ended !== null)
    return [{ promise: 'the process lives', detail: `${gateway.ended.join(' ')}: ${err.slice(0, 600)}` }];
  if (glance === null) return [{ promise: 'the good caller is served', detail: 'not even the metrics are' }];
  const { lagMs, unhandled } = glance;
  const internal = out.split('\n').findLast((line) => line.includes('internal error'));
  const faults: readonly (Fault | false)[] = [
    served !== null && { promise: 'the good caller is served', detail: served },
    lagMs > mostLagMs && {
      promise: `the event loop is held for at most ${mostLagMs} ms`,
      detail: `${Math.round(lagMs)} ms`,
    },
    unhandled > 0 && { promise: 'no promise is left unhandled', detail: `${unhandled} were` },
    err !== '' && { promise: 'nothing is written to standard error', detail: err.slice(0, 600) },
    internal !== undefined && { promise: 'nothing is logged as an internal error', detail: internal.slice(0, 600) },
  ];
  return faults.filter((fault) => fault !== false);
}

/** Whether more is kept than caches may hold since a reading; it may take a while to settle. */
export async function faultsOfMemory(
  gateway: GatewayProcess,
  before: Reading,
  waitMs = settleMs,
): Promise<readonly Fault[]> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const { heapBytes, externalBytes } = await gateway.read();
    const keptMiB = Math.round((heapBytes + externalBytes - before.heapBytes - before.externalBytes) / mebibyte);
    if (keptMiB <= mostKeptMiB) return [];
    if (performance.now() > deadline) return [{ promise: 'memory comes back', detail: `${keptMiB} MiB are kept` }];
  }
}
