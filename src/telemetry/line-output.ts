import { write as writeToDescriptor } from 'node:fs';
import { withTimeout } from '../cancellation.ts';

/** Bytes of lines that are written at once: a write for each line costs more than all else about it. A pipe of Linux takes 65,536. */
export const logPieceBytes = 60_000;

/** Milliseconds that a line waits for others before it is written. */
export const logDelayMs = 250;

/** Bytes of lines that have not been read; further lines are dropped. */
export const unwrittenLogBytes = 16_777_216;

/** Milliseconds in which nothing is written after a write has failed: what is full or gone stays so for a while. */
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
 * A piece that cannot be written waits until it can, so that no line is cut. Lines behind it, and those that nobody reads beyond
 * `unwrittenLogBytes`, are lost: standard error says so once.
 */
export class LineOutput {
  readonly #descriptor: number;
  readonly #writeBytes: WriteBytes;
  #gathered = '';
  #gathering: NodeJS.Timeout | undefined;
  #pieces: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #writesUnderWay: Promise<unknown> = Promise.resolve();
  #pausedUntil = 0;
  #lost = 0;
  #hasComplained = false;
  #flushed: (() => void)[] = [];

  constructor(descriptor: number, writeBytes: WriteBytes = writeToDescriptor) {
    this.#descriptor = descriptor;
    this.#writeBytes = writeBytes;
  }

  /** How many lines were lost so far. */
  get lost(): number {
    return this.#lost;
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
      this.#lose(lines, 'nobody reads it');
    } else if (this.#pausedUntil > 0 && performance.now() < this.#pausedUntil) {
      this.#lost += linesIn(lines);
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
      if (outcome === 0 || unread.has(outcome)) {
        await new Promise((resolve) => setTimeout(resolve, logUnreadMs).unref());
      } else if (typeof outcome === 'string') {
        this.#pause(outcome);
        break;
      } else {
        this.#pausedUntil = 0;
        this.#waitingBytes -= outcome;
        if (outcome < piece.length) this.#pieces[0] = piece.subarray(outcome);
        else this.#pieces.shift();
      }
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

  #pause(reason: string): void {
    this.#pausedUntil = performance.now() + logRetryMs;
    const behind = Buffer.concat(this.#pieces.splice(1));
    this.#waitingBytes -= behind.length;
    this.#lose(behind.toString('latin1'), reason);
  }

  #lose(lines: string, reason: string): void {
    this.#lost += linesIn(lines);
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    const consequence = 'lines are lost, and counted in switchboard_log_lines_lost_total. It is tried again and again.';
    void this.#writeSome(standardError, Buffer.from(`The log cannot be written (${reason}): ${consequence}\n`));
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}
