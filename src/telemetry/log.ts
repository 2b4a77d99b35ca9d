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
