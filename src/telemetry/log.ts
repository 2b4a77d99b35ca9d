import packageFile from '../../package.json' with { type: 'json' };
import { pino, stdTimeFunctions, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { withTimeout } from '../cancellation.ts';
import { LineOutput } from './line-output.ts';

export type { LineOutput };

/** The version of this build. */
export const { version } = packageFile;

/** What a client says of itself, cleaned; null where it says nothing. Many requests of a connection share one. */
export interface ClientName {
  readonly name: string | null;
  readonly version: string | null;
  readonly userAgent: string | null;
}

/** Names a span in a log line. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** The log line of a request that has ended. Members that are undefined are left out. */
export interface RequestLine extends Partial<TraceIds> {
  readonly requestId: string;
  readonly method: string | undefined;
  readonly endpoint: string;
  readonly status: number;
  /** To a hundredth of a millisecond. */
  readonly durationMs: number;
  readonly operationName: string | undefined;
  /** The name of the trusted operation in the operator's documents. */
  readonly trustedOperation: string | undefined;
  /** Each once. */
  readonly errorCodes: readonly string[] | undefined;
  readonly upstreamCalls: number;
  readonly aborted: true | undefined;
  readonly clientName: string | undefined;
  readonly clientVersion: string | undefined;
  readonly userAgent: string | undefined;
}

/** Pino's log, and methods of its own. */
export interface Log extends Logger {
  /** Whether the line of a request to this endpoint is written. */
  readonly takesRequest: (endpoint: string) => boolean;
  /** Writes the line that a request gets when it has ended, if its endpoint is taken. */
  readonly request: (line: RequestLine) => void;
  /** Writes a line at once, whatever the level: that the process listens is told in any case. */
  readonly announce: (fields: object, message: string) => void;
  /** Resolves when what is left is written or lost, and after so many milliseconds in any case. */
  readonly flushed: (waitMs: number) => Promise<void>;
  /** How many lines could not be written so far. */
  readonly linesLost: () => number;
}

/** Where lines go. */
interface LogDestination extends DestinationStream {
  /** How many lines were lost so far; absent where none are ever. */
  readonly lost?: number;
}

/**
 * Structured lines on standard output, one JSON object each. No line holds a key: a request is described by a RequestLine, never by its
 * headers. The serializers are a net below that rule, for the members at the top of a line; pino's `redact` would search every line.
 */
export function createLog(level: string, destination: LogDestination = standardOutput()): Log {
  const hidden = (): string => '[redacted]';
  const base = { service: 'switchboard', version };
  const options: LoggerOptions = {
    level,
    base,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { authorization: hidden, headers: hidden, key: hidden, req: hidden, res: hidden },
  };
  const log = pino(options, destination);
  const announcements = log.child({}, { level: 'info' });
  const baseMembers = JSON.stringify(base).slice(1, -1);
  const isWritten = { info: log.isLevelEnabled('info'), debug: log.isLevelEnabled('debug') };
  return Object.assign(log, {
    takesRequest: (endpoint: string) => isWritten[levelOf(endpoint)],
    request(line: RequestLine) {
      const lineLevel = levelOf(line.endpoint);
      // The line that pino would write, byte for byte, at a fifth of the cost.
      const head = `{"level":"${lineLevel}","time":"${new Date().toISOString()}",${baseMembers}`;
      destination.write(`${head},${JSON.stringify(line).slice(1, -1)},"msg":"request"}\n`);
    },
    announce(fields: object, message: string) {
      announcements.info(fields, message);
      announcements.flush();
    },
    async flushed(waitMs: number) {
      const flushed = Promise.withResolvers<void>();
      log.flush(() => flushed.resolve());
      await withTimeout(flushed.promise, waitMs).catch(() => {});
    },
    linesLost: () => destination.lost ?? 0,
  });
}

// Probes and Prometheus come every few seconds, and their lines would bury the others.
const quiet: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** Whether an endpoint is one of those. */
export function isQuiet(endpoint: string): boolean {
  return quiet.has(endpoint);
}

function levelOf(endpoint: string): 'debug' | 'info' {
  return isQuiet(endpoint) ? 'debug' : 'info';
}

/**
 * Standard output. Node opens pipes and sockets so that a write never waits for their readers; the streams that it makes of them
 * are not used. Terminals and files may hold a write.
 */
export function standardOutput(): LineOutput {
  for (const stream of [process.stdout, process.stderr])
    if (stream.listenerCount('error') === 0) stream.on('error', () => {});
  return new LineOutput(process.stdout.fd);
}

/** Codes of Node and of the system, such as EMFILE: they quote nothing. */
const systemCode = /^[A-Z][A-Z\d_]{2,40}$/;

/** The name, code and stack of a failure, without its message: that may quote a header with a key in it, for example. */
export function describeFailure(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  const { code } = cause as NodeJS.ErrnoException;
  const isSystem = typeof code === 'string' && systemCode.test(code);
  return [isSystem ? `${cause.name} ${code}` : cause.name, ...frames].join('\n');
}
