import { write as writeToDescriptor } from 'node:fs';
import { pino, stdTimeFunctions, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import packageFile from '../../package.json' with { type: 'json' };
import { withTimeout } from '../cancellation.ts';

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

/**
 * Standard output. Node opens pipes and sockets so that a write never waits for their readers; the streams that it makes of them
 * are not used. Terminals and files may hold a write.
 */
export function standardOutput(): LineOutput {
  for (const stream of [process.stdout, process.stderr])
    if (stream.listenerCount('error') === 0) stream.on('error', () => {});
  return new LineOutput(process.stdout.fd);
}

/** Bytes of lines that are written at once: a write for each line costs more than all else about it. A pipe of Linux takes 65,536. */
export const logPieceBytes = 60_000;

/** Milliseconds that a line waits for others before it is written. */
export const logDelayMs = 250;

/** Bytes of lines that have not been read; further lines are dropped. */
export const unwrittenLogBytes = 16_777_216;

/** Milliseconds until a descriptor that has failed is tried again: what is full or gone stays so for a while. */
export const logRetryMs = 1_000;

/** Milliseconds until a full pipe is tried again. Read as fast as it is filled, it passes six megabytes a second. */
const logUnreadMs = 10;

/** Writes some of the bytes to a descriptor, and says how many, as `fs.write` does. */
export type WriteBytes = (
  descriptor: number,
  bytes: Uint8Array,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

const standardError = 2;
// What a pipe says whose reader is slow.
const unread: ReadonlySet<unknown> = new Set(['EAGAIN', 'EINTR']);

/**
 * Writes lines to a descriptor, in pieces of some lines. Whatever the descriptor does, `write` returns at once and nothing is thrown.
 * A piece that cannot be written waits until it can, so that no line is cut. Lines beyond `unwrittenLogBytes` are lost. Standard error
 * says once that a write has failed, or that lines are lost.
 */
export class LineOutput {
  /** How many lines were lost so far. */
  lost = 0;
  readonly #descriptor: number;
  readonly #writeBytes: WriteBytes;
  #gathered = '';
  #gathering: NodeJS.Timeout | undefined;
  #pieces: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #writesUnderWay: Promise<unknown> = Promise.resolve();
  #hasComplained = false;
  #flushed: (() => void)[] = [];

  constructor(descriptor: number, writeBytes: WriteBytes = writeToDescriptor) {
    this.#descriptor = descriptor;
    this.#writeBytes = writeBytes;
  }

  /** Whether the system holds a write for longer than `ms`: a thread waits for it, and so would the exit of the process. */
  isHeld(ms: number): Promise<boolean> {
    return withTimeout(this.#writesUnderWay, ms).then(
      () => false,
      () => true,
    );
  }

  /** Takes whole lines, each with its end. */
  write(lines: string): void {
    if (this.#gathered.length + this.#waitingBytes + lines.length > unwrittenLogBytes) {
      this.lost += lines.split('\n').length - 1;
      this.#complain('nobody reads it');
    } else {
      this.#gathered += lines;
      if (this.#gathered.length >= logPieceBytes) this.#cutPiece();
      else this.#gathering ??= setTimeout(() => this.#cutPiece(), logDelayMs).unref();
    }
  }

  /** Writes what there is, and runs `done` when it is written, or cannot be. */
  flush(done: () => void): void {
    this.#flushed.push(done);
    this.#cutPiece();
  }

  #cutPiece(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#gathered !== '') {
      const piece = Buffer.from(this.#gathered);
      this.#gathered = '';
      this.#pieces.push(piece);
      this.#waitingBytes += piece.length;
    }
    if (!this.#isWriting) void this.#writePieces();
  }

  async #writePieces(): Promise<void> {
    this.#isWriting = true;
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const outcome = await this.#writeSome(this.#descriptor, piece);
      if (typeof outcome === 'number') {
        this.#waitingBytes -= outcome;
        if (outcome < piece.length) this.#pieces[0] = piece.subarray(outcome);
        else this.#pieces.shift();
        continue;
      }
      const isUnread = unread.has(outcome);
      if (!isUnread) this.#complain(outcome);
      await new Promise((resolve) => setTimeout(resolve, isUnread ? logUnreadMs : logRetryMs).unref());
    }
    this.#isWriting = false;
    for (const done of this.#flushed.splice(0)) done();
  }

  /** Resolves to the number of bytes that were written, or to the reason why none were. */
  #writeSome(descriptor: number, bytes: Buffer): Promise<number | string> {
    const written = new Promise<number | string>((resolve) => {
      this.#writeBytes(descriptor, bytes, (error, count) =>
        resolve(error === null ? count : (error.code ?? error.name)),
      );
    });
    const before = this.#writesUnderWay;
    // Not `Promise.all`, whose result would hold the results of all writes before.
    this.#writesUnderWay = written.then(() => before);
    return written;
  }

  #complain(reason: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    const consequence = `lines beyond ${unwrittenLogBytes} bytes are lost, and counted in switchboard_log_lines_lost_total`;
    const text = `The log cannot be written (${reason}): ${consequence}. It is tried again and again.\n`;
    void this.#writeSome(standardError, Buffer.from(text));
  }
}
