import { logDelayMs, logPieceBytes, unwrittenLogBytes } from '../bounds.ts';
import { pino, type DestinationStream, type Logger } from 'pino';
import { loggedFields, requestLineOf, type RequestLine } from './request-line.ts';

/** Pino's log, and a method of its own for the line that each request gets when it has ended. */
export interface Log extends Logger {
  readonly request: (line: RequestLine) => void;
  /** Writes what is left; false where nobody has read it after so many milliseconds. */
  readonly flushed: (waitMs: number) => Promise<boolean>;
}

/**
 * Structured lines on standard output, one JSON object each. No line holds a key: a request is described by fields of its own
 * (request-line.ts), never by its headers. The serializers are a net below that rule, for the members at the top of a line;
 * pino's `redact` would search every line.
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
    flushed: (waitMs: number) =>
      new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), waitMs);
        log.flush(() => {
          clearTimeout(timer);
          resolve(true);
        });
      }),
  });
}

/**
 * Standard output, written in pieces of some lines. The last lines are written when the process exits. Where nobody reads,
 * further lines are dropped.
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

/** The name and stack of a failure, without its message: that may quote a header with a key in it, for example. */
export function describeFailure(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [cause.name, ...frames].join('\n');
}
