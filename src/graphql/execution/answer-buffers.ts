import { largestLentBuffer, leastLentBuffer, unlentBytes } from '../../bounds.ts';

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
