/** Bytes of a part of an answer that is handed on as text: below, a text is cheaper to write; above, it would be copied again. */
const answerText = 16_384;

/** Bytes of the smallest and of the largest buffer for parts of answers that is used again. */
const leastLentBuffer = 32_768;

const largestLentBuffer = 1_048_576;

/** Bytes of such buffers of one size that are kept for later answers, of six sizes at most. */
const unlentBytes = 4_194_304;

/** A part of an answer in UTF-8: a text with a character of Latin-1 for each byte, or the bytes. */
export type Piece = string | Buffer;

/** Buffers that wait to be lent again, by their size, which is a power of two. */
const free = new Map<number, Buffer[]>();

/**
 * The data of an answer, written part by part behind the beginning of the answer, which whoever sends it ends. It stands where an object
 * would, for whoever has asked for it. Parts are written in buffers that are lent again once the answer has been sent: fresh memory for
 * each large answer costs more than to copy the answer.
 */
export class WrittenData {
  readonly #pieces: Piece[] = [];
  #text = '{"data":';
  readonly #lent: Buffer[] = [];

  /** All parts, in as few pieces as there can be: short ones and texts beside each other are one text. */
  get pieces(): readonly Piece[] {
    return [...this.#pieces, this.#text];
  }

  add(part: Piece): void {
    if (typeof part === 'string') {
      this.#text += part;
      return;
    }
    if (part.length <= answerText) return this.add(part.toString('latin1'));
    if (this.#text !== '') this.#pieces.push(this.#text);
    this.#pieces.push(part);
    this.#text = '';
  }

  /** A buffer of just this length for a part. It may hold what was sent before, so all of it must be written. */
  lend(length: number): Buffer {
    if (length > largestLentBuffer) return Buffer.allocUnsafe(length);
    const size = Math.max(leastLentBuffer, 2 ** Math.ceil(Math.log2(length)));
    const lent = free.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
    this.#lent.push(lent);
    return lent.subarray(0, length);
  }

  /** Gives all buffers back. Nothing may read the pieces any more. What is never given back is collected as garbage. */
  readonly release = (): void => {
    for (const buffer of this.#lent.splice(0)) {
      const others = free.get(buffer.length) ?? [];
      free.set(buffer.length, others);
      if (others.length < unlentBytes / buffer.length) others.push(buffer);
    }
  };
}
