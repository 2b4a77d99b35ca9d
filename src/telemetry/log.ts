import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/**
 * Structured lines on standard output, one JSON object each. Nothing that is logged holds a key: requests are described
 * by their own fields (http/exchange.ts), never by their headers. `redact` is the net below that rule.
 */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = { level, base: null, redact: ['authorization', '*.authorization', 'headers', '*.headers'] };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** The name and stack of a failure for the log: its message may quote what it failed on, a header with a key in it for one. */
export function describeFailure(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [cause.name, ...frames].join('\n');
}
