import { isUtf8 } from 'node:buffer';
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

  /** All bytes as text, as `textOf` reads them. */
  get text(): string {
    return textOf(this.whole);
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

export const byteOrderMark = Buffer.from('\uFEFF');
const replacement = '\uFFFD';
const replacementBytes = Buffer.from(replacement);
// Two, since the first may make a whole character with what stands before.
const halves = '\uDFFF\uDFFF';

/** Text in UTF-8. Halves of surrogate pairs stand for bytes that are none, so that a text that holds them is seen to be broken. */
export function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  // JavaScript reads such bytes as U+FFFD, which a text may also have of its own.
  for (let from = 0; ;) {
    const at = bytes.indexOf(replacementBytes, from);
    text += bytes.toString('utf8', from, at < 0 ? bytes.length : at).replaceAll(replacement, halves);
    if (at < 0) return text;
    text += replacement;
    from = at + replacementBytes.length;
  }
}

/** A long text, decoded in slices of time. */
export async function textInSlices(
  bytes: Buffer,
  slices: WorkSlices,
  decode: (piece: Buffer, isLast: boolean) => string,
): Promise<string> {
  let text = '';
  for (let from = 0; from < bytes.length; from += decodedPiece) {
    text += decode(bytes.subarray(from, from + decodedPiece), from + decodedPiece >= bytes.length);
    if (slices.isOverNow()) await slices.rest();
  }
  return text;
}
