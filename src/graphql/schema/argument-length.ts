import { argumentTextBytes } from '../../bounds.ts';

// A UTF-16 code unit takes three bytes of UTF-8 at most.
const surelyShort = Math.floor(argumentTextBytes / 3);

/** Whether a text is longer than an argument may be. It takes no more time for a longer text. */
export function isTooLong(text: string): boolean {
  return text.length > surelyShort && bytesOf(text) > argumentTextBytes;
}

/** The bytes of a text in UTF-8; of a text that is surely too long, one more than an argument may have. */
export function bytesOf(text: string): number {
  return text.length > argumentTextBytes ? argumentTextBytes + 1 : Buffer.byteLength(text);
}

/** What is expected of a text that is too long; the text itself is not quoted. */
export const shortEnough = `at most ${argumentTextBytes} bytes of UTF-8`;
