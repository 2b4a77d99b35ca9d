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
