import { resultBytes, resultValueBytes } from '../bounds.ts';

/**
 * Writes data as the JSON that `/graphql` would send, digit for digit. A text of more than `resultValueBytes` is cut. Where the
 * whole would be longer than `resultBytes`, texts are cut shorter; returns null where even that is too long.
 */
export function textOfData(data: unknown): string | null {
  const whole = JSON.stringify(data);
  if (whole.length <= resultValueBytes) return whole;
  for (const most of [resultValueBytes, resultValueBytes / 10, resultValueBytes / 100]) {
    const text = JSON.stringify(data, (_name, value: unknown) => cut(value, most));
    if (Buffer.byteLength(text) <= resultBytes) return text;
  }
  return null;
}

/** Cuts a text to a number of bytes of UTF-8, and the names of an object; returns any other value as it is. */
function cut(value: unknown, most: number): unknown {
  if (typeof value === 'string') return cutText(value, most);
  if (typeof value !== 'object' || value === null || !Object.keys(value).some((name) => isLong(name, most)))
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [cutText(name, most), member]));
}

function cutText(text: string, most: number): string {
  if (!isLong(text, most)) return text;
  const bytes = Buffer.from(text);
  // A decoder that expects more leaves out the character that was cut in the middle.
  const start = new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
  return `${start}… [cut: the first ${most} of ${bytes.length} bytes]`;
}

function isLong(text: string, most: number): boolean {
  return text.length * 3 > most && Buffer.byteLength(text) > most;
}
