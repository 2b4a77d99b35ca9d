import { decodedPiece } from '../../bounds.ts';
import type { WorkSlices } from '../../time-slices.ts';

/** A whole body in the chunks in which it came. They are put together where somebody needs that: it costs a copy of all of them. */
export class ReceivedBody {
  /** In bytes. */
  readonly length: number;
  #chunks: readonly Buffer[];

  constructor(chunks: readonly Buffer[]) {
    this.#chunks = chunks;
    this.length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** Its one chunk, as most have one; null where there are several, or none. */
  get only(): Buffer | null {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : null;
  }

  /** All bytes in one buffer. */
  get whole(): Buffer {
    const whole = this.only ?? Buffer.concat(this.#chunks, this.length);
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

  /** All bytes as text. */
  get text(): string {
    return this.whole.toString('utf8');
  }

  /** The text of some of the bytes; `to` is not included. */
  textBetween(from: number, to: number): string {
    return this.whole.toString('utf8', from, to);
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
}

/** A long text in UTF-8, decoded in slices of time. */
export async function textInSlices(bytes: Buffer, slices: WorkSlices): Promise<string> {
  let text = '';
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(from + decodedPiece, bytes.length);
    // No character has more than three such bytes behind its first.
    for (let more = 0; more < 3 && ((bytes[to] ?? 0) & 0xc0) === 0x80; more++) to++;
    text += bytes.toString('utf8', from, to);
    from = to;
    if (slices.isOverNow()) await slices.rest();
  }
  return text;
}
