/** Bytes of a part of an answer that is handed on as text: below, a text is cheaper to write; above, it would be copied again. */
const answerText = 16_384;

/** Bytes of the smallest and of the largest buffer for parts of answers that is used again. */
const leastLentBuffer = 32_768;

const largestLentBuffer = 1_048_576;

/** Bytes of such buffers of one size that are kept for later answers, of six sizes at most. */
const unlentBytes = 4_194_304;

/** A part of an answer in UTF-8: a text with a character of Latin-1 for each byte, or the bytes. */
export type Piece = string | Buffer;

/** The data of an answer, written already. It stands where an object would, for whoever has asked for it. */
export class WrittenData {
  readonly pieces: readonly Piece[];
  /** To be called when nobody will read the pieces any more; memory is used again sooner then. */
  readonly release: () => void;

  constructor(pieces: readonly Piece[], release: () => void) {
    this.pieces = pieces;
    this.release = release;
  }
}

/** Gathers the parts of an answer, in as few pieces as there can be: short ones and texts beside each other become one text. */
export class PieceWriter {
  /** To write parts in that are to be added. */
  readonly buffers = new AnswerBuffers();
  readonly #pieces: Piece[] = [];
  #text = '';

  add(piece: Piece): void {
    if (typeof piece === 'string') {
      this.#text += piece;
      return;
    }
    if (piece.length <= answerText) return this.add(piece.toString('latin1'));
    this.#pieces.push(this.#text, piece);
    this.#text = '';
  }

  end(): readonly Piece[] {
    this.#pieces.push(this.#text);
    return this.#pieces;
  }
}

/** Buffers that wait to be lent again, by their size, which is a power of two. */
const free = new Map<number, Buffer[]>();

/**
 * The buffers that one answer is written from. They are lent again once it has been sent: fresh memory for each large answer
 * costs more than to copy the answer. What is never given back is collected as garbage.
 */
export class AnswerBuffers {
  readonly #lent: Buffer[] = [];

  /** A buffer of just this length. It may hold what was sent before, so all of it must be written. */
  lend(length: number): Buffer {
    if (length > largestLentBuffer) return Buffer.allocUnsafe(length);
    const size = Math.max(leastLentBuffer, 2 ** Math.ceil(Math.log2(length)));
    const lent = free.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
    this.#lent.push(lent);
    return lent.subarray(0, length);
  }

  /** Gives all of them back. Nothing may read them any more. */
  giveBack(): void {
    for (const buffer of this.#lent.splice(0)) {
      const others = free.get(buffer.length) ?? [];
      free.set(buffer.length, others);
      if (others.length < unlentBytes / buffer.length) others.push(buffer);
    }
  }
}
