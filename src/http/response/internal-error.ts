import { describeFailure, type Log } from '../../telemetry/log.ts';
import type { Exchange } from '../request/exchange.ts';

/** Logs what an INTERNAL_SERVER_ERROR hides from the client, with the ids of its request. */
export function logInternalError(log: Log, { requestId, signal, trace }: Exchange, cause: unknown): void {
  // A failure that follows from the client's leaving is no fault of the gateway.
  if (signal.aborted) return;
  log.error({ requestId, ...trace?.ids, error: describeFailure(cause) }, 'internal error');
}
