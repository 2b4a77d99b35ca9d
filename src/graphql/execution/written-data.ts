/** A part of an answer: text of ASCII, or bytes of UTF-8. */
export type Piece = string | Buffer;

/** The data of an answer, written already. It stands where an object would, for whoever has asked for it. */
export class WrittenData {
  readonly pieces: readonly Piece[];

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces;
  }
}
