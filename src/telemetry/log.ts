import { logDelayMs, logPieceBytes, unwrittenLogBytes } from '../bounds.ts';
import { pino, stdTimeFunctions, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { version } from './build.ts';
import { createRequestLineWriter, levelOf, loggedFields, type RequestLine } from './request-line.ts';

/** Pino's log, and methods of its own. */
export interface Log extends Logger {
  /** Whether the line of a request to this endpoint is written. */
  readonly takesRequest: (endpoint: string) => boolean;
  /** Writes the line that each request gets when it has ended. */
  readonly request: (line: RequestLine) => void;
  /** Writes a line at once, whatever the level: that the process listens is told in any case. */
  readonly announce: (fields: object, message: string) => void;
  /** Writes what is left; false where nobody has read it after so many milliseconds. */
  readonly flushed: (waitMs: number) => Promise<boolean>;
}

/** Where lines go. A line of ASCII alone may come as `latin1`: to write it costs half. */
export interface LogDestination extends DestinationStream {
  write(line: string, encoding?: 'latin1'): void;
}

/**
 * Structured lines on standard output, one JSON object each. No line holds a key: a request is described by fields of its own
 * (request-line.ts), never by its headers. The serializers are a net below that rule, for the members at the top of a line;
 * pino's `redact` would search every line.
 */
export function createLog(level: string, destination: LogDestination = standardOutput()): Log {
  const hidden = (): string => '[redacted]';
  const base = { service: 'switchboard', version };
  const options: LoggerOptions = {
    base,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { authorization: hidden, headers: hidden, key: hidden, req: hidden, res: hidden },
  };
  const log = pino({ ...options, level }, destination);
  const announcements = pino({ ...options, level: 'info' }, destination);
  const write = createRequestLineWriter(JSON.stringify(base).slice(1, -1));
  const isWritten = { info: log.isLevelEnabled('info'), debug: log.isLevelEnabled('debug') };
  return Object.assign(log, {
    takesRequest: (endpoint: string) => isWritten[levelOf(endpoint)],
    request(line: RequestLine) {
      const lineLevel = levelOf(line.endpoint);
      if (!isWritten[lineLevel]) return;
      const text = write(line, lineLevel, Date.now());
      if (text === null) log[lineLevel](loggedFields(line), 'request');
      else destination.write(text, 'latin1');
    },
    announce(fields: object, message: string) {
      announcements.info(fields, message);
      announcements.flush();
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

// A piece, and the line that completes it.
const mostWritten = 65_536;

/**
 * Standard output, written in pieces of some lines. The last lines are written when the process exits. Where nobody reads,
 * further lines are dropped.
 */
export function standardOutput(): LogDestination {
  const output = pino.destination({
    fd: process.stdout.fd,
    sync: false,
    minLength: logPieceBytes,
    maxWrite: mostWritten,
    maxLength: unwrittenLogBytes,
    periodicFlush: logDelayMs,
    // A piece that grows as text would be copied whole for each of its lines.
    contentMode: 'buffer',
  });
  // The types name texts alone.
  const write = output.write.bind(output) as unknown as (line: Buffer) => boolean;
  return Object.assign(output, { write: (line: string, encoding?: 'latin1') => write(Buffer.from(line, encoding)) });
}

/** The name and stack of a failure, without its message: that may quote a header with a key in it, for example. */
export function describeFailure(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [cause.name, ...frames].join('\n');
}
