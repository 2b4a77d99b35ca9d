import type { IncomingMessage } from 'node:http';
import { traceStateLength } from '../../bounds.ts';
import { isQuiet } from '../../telemetry/request-line.ts';
import { RequestTrace } from '../../telemetry/request-trace.ts';
import type { Tracing } from '../../telemetry/span.ts';

/** Begins the trace of a request; null for probes, of which there is nothing to tell. */
export function beginTrace(
  tracing: Tracing,
  { method = '', url = '', headers }: IncomingMessage,
  hideKey: (text: string) => string,
): RequestTrace | null {
  if (isQuiet(url.split('?', 1)[0] ?? '')) return null;
  /** What the client sends is exported and goes upstream, so it must not hold the caller's key. */
  const sane = (header: string | string[] | undefined): string | undefined =>
    typeof header === 'string' && header.length <= traceStateLength && hideKey(header) === header ? header : undefined;
  const { traceparent, tracestate } = headers;
  return new RequestTrace(
    tracing.beginRequest(method, { traceparent: sane(traceparent), tracestate: sane(tracestate) }),
  );
}
