import { write as writeToDescriptor } from 'node:fs';

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
const newline = 0x0a;
const nothing = Buffer.alloc(0);
// What a pipe says whose reader is slow.
const unread: ReadonlySet<unknown> = new Set(['EAGAIN', 'EINTR']);

/**
 * Writes lines to a descriptor, in pieces of some lines. Whatever the descriptor does, `write` returns at once and nothing is thrown.
 * Lines that cannot be written, and those that nobody reads beyond `unwrittenLogBytes`, are lost: standard error says so once, and
 * after a while the next line is tried. A line that was written by half is completed first.
 */
export class LineOutput {
  readonly #descriptor: number;
  readonly #writeBytes: WriteBytes;
  #gathered: string[] = [];
  #gatheredLength = 0;
  #gathering: NodeJS.Timeout | undefined;
  #pieces: Buffer[] = [];
  #waitingBytes = 0;
  /** Whether the last byte that was written is not the end of a line. */
  #isWithinLine = false;
  #restOfLine: Buffer = nothing;
  #isWriting = false;
  #writesUnderWay = 0;
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
  async isHeld(ms: number): Promise<boolean> {
    const until = performance.now() + ms;
    while (this.#writesUnderWay > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 1));
    return this.#writesUnderWay > 0;
  }

  /** Takes whole lines, each with its end. */
  write(lines: string): void {
    if (this.#gatheredLength + this.#waitingBytes + lines.length > unwrittenLogBytes) {
      this.#lost += linesIn(lines);
      this.#complain('nobody reads it');
    } else if (this.#pausedUntil > 0 && performance.now() < this.#pausedUntil) {
      this.#lost += linesIn(lines);
    } else {
      this.#gathered.push(lines);
      this.#gatheredLength += lines.length;
      if (this.#gatheredLength >= logPieceBytes) this.#cutPiece();
      else this.#gathering ??= setTimeout(() => this.#cutPiece(), logDelayMs).unref();
    }
  }

  /** Writes what there is, and runs `done` when it is written or lost. */
  flush(done: () => void): void {
    this.#flushed.push(done);
    this.#cutPiece();
  }

  #cutPiece(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#gathered.length > 0) {
      const piece = Buffer.concat([this.#restOfLine, Buffer.from(this.#gathered.join(''))]);
      this.#restOfLine = nothing;
      this.#pieces.push(piece);
      this.#waitingBytes += piece.length;
      this.#gathered = [];
      this.#gatheredLength = 0;
    }
    if (!this.#isWriting) void this.#writePieces();
  }

  async #writePieces(): Promise<void> {
    this.#isWriting = true;
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const outcome = await this.#writeSome(this.#descriptor, piece);
      if (outcome === 0 || unread.has(outcome))
        await new Promise((resolve) => setTimeout(resolve, logUnreadMs).unref());
      else if (typeof outcome === 'number') this.#takeOff(piece, outcome);
      else this.#losePieces(outcome);
    }
    this.#isWriting = false;
    for (const done of this.#flushed.splice(0)) done();
  }

  /** Resolves to the number of bytes that were written, or to the reason why none were. */
  #writeSome(descriptor: number, bytes: Buffer): Promise<number | string> {
    this.#writesUnderWay += 1;
    return new Promise((resolve) => {
      this.#writeBytes(descriptor, bytes, (error, written) => {
        this.#writesUnderWay -= 1;
        resolve(error === null ? written : (error.code ?? error.name));
      });
    });
  }

  #takeOff(piece: Buffer, written: number): void {
    this.#pausedUntil = 0;
    this.#waitingBytes -= written;
    this.#isWithinLine = piece[written - 1] !== newline;
    if (written < piece.length) this.#pieces[0] = piece.subarray(written);
    else this.#pieces.shift();
  }

  #losePieces(reason: string): void {
    this.#pausedUntil = performance.now() + logRetryMs;
    const waiting = Buffer.concat(this.#pieces.splice(0));
    this.#waitingBytes = 0;
    const end = this.#isWithinLine ? waiting.indexOf(newline) + 1 : 0;
    this.#restOfLine = waiting.subarray(0, end);
    this.#lost += linesIn(waiting.toString('latin1', end));
    this.#complain(reason);
  }

  #complain(reason: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    const consequence = 'lines are lost, and counted in switchboard_log_lines_lost_total. It is tried again and again.';
    void this.#writeSome(standardError, Buffer.from(`The log cannot be written (${reason}): ${consequence}\n`));
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}
