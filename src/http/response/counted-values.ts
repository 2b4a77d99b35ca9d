import type { Violation } from '../../errors.ts';

/** The values of one response that have been counted as violations: several fields may read one, and fail each of them. */
export class CountedValues {
  readonly #byHolder = new Map<object, Set<string | number>>();

  /** Whether a violation is met for the first time. One error may stand at several paths, as of a call that fields share. */
  isNew(violation: Violation): boolean {
    const { holder, key } = violation.place ?? { holder: violation, key: '' };
    const keys = this.#byHolder.get(holder) ?? new Set();
    this.#byHolder.set(holder, keys);
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  }
}
