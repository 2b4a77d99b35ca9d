import { isUtf8 } from 'node:buffer';
import { copiedPiece, jsonLevels } from '../../bounds.ts';
import { FreeFormText } from '../../json.ts';

/**
 * Writes a free-form object as it came, without blanks, and texts with the escapes that they need: members in their order, numbers digit
 * for digit. Somebody else reads it, and checks its grammar. Most of what is written are the bytes of the body.
 */
export class FreeFormWriter {
  readonly #bytes: Buffer;
  readonly #pieces: Buffer[] = [];
  #chunk = Buffer.alloc(0);
  #chunkLength = 0;
  /** Where the part of the body begins that is still to be written. */
  #from: number;
  #levels = 0;
  #deepest = 0;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#from = from;
  }

  /** A list or an object begins. */
  open(): void {
    this.#deepest = Math.max(this.#deepest, ++this.#levels);
  }

  /** A list or an object ends. */
  close(): void {
    this.#levels--;
  }

  /** Blanks stand there. */
  skip(from: number, to: number): void {
    this.#copyUpTo(from);
    this.#from = to;
  }

  /** A text, or a part of it, has escapes there. */
  escaped(from: number, to: number): void {
    const text = JSON.parse(`"${this.#bytes.toString('utf8', from, to)}"`) as string;
    this.skip(from, to);
    this.#write(Buffer.from(JSON.stringify(text).slice(1, -1)));
  }

  /** What has been written, once all of it has come. */
  finish(to: number): FreeFormText {
    this.skip(to, to);
    this.#endChunk();
    const isTooDeep = this.#deepest > jsonLevels;
    return new FreeFormText(isTooDeep ? [] : this.#pieces, this.#deepest);
  }

  #copyUpTo(to: number): void {
    if (to > this.#from) this.#write(this.#bytes.subarray(this.#from, to));
  }

  #write(bytes: Buffer): void {
    // What is no UTF-8 is shown as JavaScript reads it.
    const known = isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'));
    if (known.length >= copiedPiece) {
      this.#endChunk();
      this.#pieces.push(known);
      return;
    }
    if (this.#chunkLength + known.length > this.#chunk.length) {
      this.#endChunk();
      this.#chunk = Buffer.allocUnsafe(4 * copiedPiece);
    }
    known.copy(this.#chunk, this.#chunkLength);
    this.#chunkLength += known.length;
  }

  #endChunk(): void {
    if (this.#chunkLength > 0) this.#pieces.push(this.#chunk.subarray(0, this.#chunkLength));
    this.#chunk = this.#chunk.subarray(this.#chunkLength);
    this.#chunkLength = 0;
  }
}
