import { logDelayMs, logPieceBytes, unwrittenLogBytes } from '../bounds.ts';
import { pino, type DestinationStream, type Logger } from 'pino';
import { loggedFields, requestLineOf, type RequestLine } from './request-line.ts';

/** The log: pino's, and the line of a request that has ended, which is written for every request. */
export interface Log extends Logger {
  readonly request: (line: RequestLine) => void;
}

/**
 * Structured lines on standard output, one JSON object each. Nothing that is logged holds a key: requests are described
 * by their own fields (http/exchange.ts), never by their headers. The serializers are the net below that rule, for what is
 * named at the top of a line: pino's `redact` would look through every line.
 */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Log {
  const hidden = (): string => '[redacted]';
  const serializers = { authorization: hidden, headers: hidden, key: hidden, req: hidden, res: hidden };
  const log = pino({ level, base: null, serializers }, destination);
  return Object.assign(log, {
    request(line: RequestLine) {
      if (!log.isLevelEnabled('info')) return;
      const text = requestLineOf(line, Date.now());
      if (text === null) log.info(loggedFields(line), 'request');
      else destination.write(text);
    },
  });
}

/**
 * Standard output in pieces of some lines, a quarter of a second old at most: a write for each line costs more than all else
 * that is done about it. What is left is written when the process exits; where nobody reads, lines are dropped at 16 MiB.
 */
function standardOutput(): DestinationStream {
  return pino.destination({
    fd: process.stdout.fd,
    sync: false,
    minLength: logPieceBytes,
    maxLength: unwrittenLogBytes,
    periodicFlush: logDelayMs,
  });
}

/** The name and stack of a failure for the log: its message may quote what it failed on, a header with a key in it for one. */
export function describeFailure(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [cause.name, ...frames].join('\n');
}
