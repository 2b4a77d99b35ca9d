/** Chunks of a body that are copied together where they are small: as many take fifty kilobytes beside their bytes. */
const chunksTogether = 256;

/** Bytes of a chunk that is small: to copy that many costs less than to keep them apart. The mean of `chunksTogether` chunks counts. */
const smallChunk = 1_024;

/**
 * The chunks of a body, in the order in which they come. A chunk takes two hundred bytes beside its own, so many small ones are copied
 * together: a body that comes byte by byte takes about as much memory as any other.
 */
export class BodyChunks {
  readonly #chunks: Buffer[] = [];
  /** The chunks before this index stay as they are. */
  #settled = 0;

  /** The chunks so far. */
  get all(): readonly Buffer[] {
    return this.#chunks;
  }

  /** All bytes in one buffer. */
  get whole(): Buffer {
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
  }

  add(chunk: Buffer): void {
    this.#chunks.push(this.#chunks.length === 0 ? chunk : withoutSurroundings(chunk));
    if (this.#chunks.length - this.#settled < chunksTogether) return;
    const latest = this.#chunks.slice(this.#settled);
    const length = latest.reduce((sum, part) => sum + part.length, 0);
    if (length < chunksTogether * smallChunk) this.#chunks.splice(this.#settled, chunksTogether, Buffer.concat(latest));
    this.#settled = this.#chunks.length;
  }

  /** Forgets all chunks. */
  clear(): void {
    this.#chunks.length = 0;
    this.#settled = 0;
  }
}

/** A small chunk may be a part of all that came with it, and would keep that in memory. */
function withoutSurroundings(chunk: Buffer): Buffer {
  return chunk.length < smallChunk && chunk.buffer.byteLength > smallChunk ? Buffer.from(chunk) : chunk;
}
