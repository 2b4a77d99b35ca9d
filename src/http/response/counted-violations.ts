import type { Violation } from '../../errors.ts';

/** The violations of one response that were counted, each value once. Several fields may read one value, and each of them fails. */
export class CountedViolations {
  readonly #byHolder = new Map<object, Set<string | number>>();

  /** Whether a violation occurs for the first time. Fields that share a call have the same error at several paths. */
  isNew(violation: Violation): boolean {
    const { holder, key } = violation.place ?? { holder: violation, key: '' };
    const keys = this.#byHolder.get(holder) ?? new Set();
    this.#byHolder.set(holder, keys);
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  }
}
