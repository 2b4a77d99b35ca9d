import { largeBody, resultBytes, resultValueBytes } from '../bounds.ts';
import { FreeFormText } from '../json.ts';

// The type library does not know it.
const { isRawJSON } = JSON as typeof JSON & { readonly isRawJSON: (value: object) => boolean };

const quotes = 2;

/** Data as a model gets them. */
export interface ShownData {
  /** The JSON that `/graphql` would send, digit for digit, but for texts that are cut. */
  readonly text: string;
  /** The same, with the same texts cut. */
  readonly data: object;
}

/**
 * Shows data within `resultBytes`. A text of more than `resultValueBytes` is cut, and shorter where the whole would be too long.
 * Returns null where even that is too long. However much data there are, no more than the bound is copied and written.
 */
export function showData(data: object): ShownData | null {
  for (const most of [resultValueBytes, resultValueBytes / 10, resultValueBytes / 100]) {
    if (roomBeside(data, most, resultBytes) < 0) continue;
    const shown = cut(data, most) as object;
    const text = JSON.stringify(shown);
    if (Buffer.byteLength(text) <= resultBytes) return { text, data: shown };
  }
  return null;
}

/** What JSON.stringify writes in place of a value: an object with a member `then` comes wrapped, a large free-form object as text. */
function unwrapped(value: unknown): unknown {
  const { toJSON } = (value ?? {}) as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON as () => unknown).call(value) : value;
}

/** Returns at least how many of some bytes are left beside a value whose texts are cut; negative as soon as there are too few. */
function roomBeside(given: unknown, most: number, room: number): number {
  // To look for its long texts would take a while at a stretch.
  if (given instanceof FreeFormText && given.length > largeBody) return -1;
  const value = unwrapped(given);
  if (typeof value === 'string') return room - Math.min(value.length, most) - quotes;
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return room - 1;
  const isList = Array.isArray(value);
  let left = room - 1;
  for (const [name, member] of Object.entries(value)) {
    if (left < 0) return left;
    // Behind each member comes a comma, or the end of the whole.
    const around = isList ? 1 : Math.min(name.length, most) + quotes + 2;
    if (member !== undefined) left = roomBeside(member, most, left - around);
  }
  return left;
}

/** Cuts the texts in a value to a number of bytes of UTF-8, and the names of its objects. */
function cut(given: unknown, most: number): unknown {
  const value = unwrapped(given);
  if (typeof value === 'string') return cutText(value, most);
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map((item) => cut(item, most));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [cutText(name, most), cut(member, most)]));
}

function cutText(text: string, most: number): string {
  const length = text.length * 3 > most ? Buffer.byteLength(text) : 0;
  if (length <= most) return text;
  const bytes = Buffer.from(text.slice(0, most));
  // A decoder that expects more leaves out the character that was cut in the middle.
  const start = new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
  return `${start}… [cut: the first ${most} of ${length} bytes]`;
}
