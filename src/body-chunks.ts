import type { WorkSlices } from './time-slices.ts';

/** Chunks of a body that are copied together where they are small: as many take fifty kilobytes beside their bytes. */
const chunksTogether = 256;

/** Bytes of a chunk that is small: to copy that many costs less than to keep them apart. The mean of `chunksTogether` chunks counts. */
const smallChunk = 1_024;

/**
 * A body in the chunks in which it comes, which are put together where somebody needs that: it costs a copy of all of them. A chunk takes
 * two hundred bytes beside its own, so many small ones are copied together: a body that comes byte by byte takes about as much memory as
 * any other.
 */
export class BodyChunks {
  #chunks: Buffer[] = [];
  /** The chunks before this index stay as they are. */
  #settled = 0;
  /** Of all chunks so far, in bytes. */
  length = 0;

  /** Begins with a chunk, which may be all that there is. */
  constructor(first?: Buffer) {
    if (first !== undefined) this.add(first);
  }

  /** The chunks so far. */
  get all(): readonly Buffer[] {
    return this.#chunks;
  }

  /** All bytes in one buffer. */
  get whole(): Buffer {
    const [first] = this.#chunks;
    const whole = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.length);
    this.#chunks = [whole];
    return whole;
  }

  /** As `whole`, put together in slices of time. */
  async gather(slices: WorkSlices): Promise<Buffer> {
    if (this.#chunks.length <= 1) return this.whole;
    const whole = Buffer.allocUnsafe(this.length);
    let at = 0;
    await slices.each(this.#chunks, (chunk) => {
      at += chunk.copy(whole, at);
    });
    this.#chunks = [whole];
    return whole;
  }

  /** All bytes in a buffer that nothing else has a part of. */
  copy(): Buffer<ArrayBuffer> {
    const copy = Buffer.allocUnsafeSlow(this.length);
    this.copyTo(copy, 0);
    return copy;
  }

  /** Copies all bytes to a place in another memory. */
  copyTo(target: Uint8Array, place: number): void {
    let at = place;
    for (const chunk of this.#chunks) {
      target.set(chunk, at);
      at += chunk.length;
    }
  }

  add(chunk: Buffer): void {
    this.length += chunk.length;
    this.#chunks.push(this.#chunks.length === 0 ? chunk : withoutSurroundings(chunk));
    if (this.#chunks.length - this.#settled < chunksTogether) return;
    const latest = this.#chunks.slice(this.#settled);
    const length = latest.reduce((sum, part) => sum + part.length, 0);
    if (length < chunksTogether * smallChunk) this.#chunks.splice(this.#settled, chunksTogether, Buffer.concat(latest));
    this.#settled = this.#chunks.length;
  }

  /** Forgets all chunks. */
  clear(): void {
    this.#chunks = [];
    this.#settled = 0;
    this.length = 0;
  }
}

/** A small chunk may be a part of all that came with it, and would keep that in memory. */
function withoutSurroundings(chunk: Buffer): Buffer {
  return chunk.length < smallChunk && chunk.buffer.byteLength > smallChunk ? Buffer.from(chunk) : chunk;
}
