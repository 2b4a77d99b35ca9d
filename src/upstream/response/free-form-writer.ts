import { isUtf8 } from 'node:buffer';
import { jsonLevels } from '../../bounds.ts';
import { FreeFormText } from '../../json.ts';

/** Bytes of a part of a free-form value that are copied together with their neighbours; a longer part stays where it is. */
const copiedPiece = 16_384;

/**
 * Writes a free-form object as it came, without blanks, and texts with the escapes that they need: members in their order, numbers digit
 * for digit. Most of what is written are the bytes of the body.
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
  #isWellFormed = true;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#from = from;
  }

  open(): void {
    this.#deepest = Math.max(this.#deepest, ++this.#levels);
  }

  close(): void {
    this.#levels--;
  }

  /** Leaves a part of the body out, or writes another text in its place. */
  replace(from: number, to: number, text = ''): void {
    if (from > this.#from) this.#write(this.#bytes.subarray(this.#from, from));
    this.#from = to;
    if (text !== '') this.#write(Buffer.from(text));
  }

  /** Half of a character is missing in a text or a name. */
  noteHalf(): void {
    this.#isWellFormed = false;
  }

  /** What has been written, once all of it has come. */
  finish(to: number): FreeFormText {
    this.replace(to, to);
    this.#endChunk();
    return new FreeFormText(this.#deepest > jsonLevels ? [] : this.#pieces, this.#deepest, this.#isWellFormed);
  }

  #write(bytes: Buffer): void {
    const isWhole = isUtf8(bytes);
    this.#isWellFormed &&= isWhole;
    const known = isWhole ? bytes : Buffer.from(bytes.toString('utf8'));
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
