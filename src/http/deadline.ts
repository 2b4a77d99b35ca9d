import { GatewayError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/**
 * One deadline for all that an exchange asks of the upstream: its signal aborts with UPSTREAM_TIMEOUT when the time is up,
 * or when the client leaves. The deadline is told by performance.now(), in milliseconds.
 */
export function deadlineOf(
  exchange: Exchange,
  timeoutMs: number,
): { readonly signal: AbortSignal; readonly deadline: number } {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(tooLate(timeoutMs)), timeoutMs);
  exchange.signal.addEventListener('abort', () => ending.abort(exchange.signal.reason), { once: true });
  exchange.whenEnded(() => clearTimeout(timer));
  return { signal: ending.signal, deadline: performance.now() + timeoutMs };
}

function tooLate(timeoutMs: number): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', {
    message: `The operation was not done within ${timeoutMs} ms; what had not been answered by then was given up.`,
  });
}
