import { bodyWeight } from '../../bounds.ts';

/** The size of a body: its bytes, and about how many lists and objects it holds. */
export interface BodySize {
  readonly bytes: number;
  readonly lists: number;
}

/** The memory that a body takes once it has been read, in bytes. */
export function readWeight({ bytes, lists }: BodySize): number {
  return Math.max(bytes * bodyWeight.read, lists * bodyWeight.perList);
}

/** The memory that a body takes until it has been read, in bytes. */
export function unreadWeight(size: BodySize): number {
  return size.bytes * bodyWeight.unread + readWeight(size);
}
