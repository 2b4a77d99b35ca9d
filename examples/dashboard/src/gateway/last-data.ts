import type { Failure } from './failure.ts';

/** What is shown of a query: its last data, of which fields that failed meanwhile keep what they had before. */
export interface LastData<Data> {
  readonly data: Data | null;
  /** The response names of the fields whose data is older than the last result. */
  readonly old: readonly string[];
}

/** Merges a result into what was shown before: a field that failed as a whole keeps its data. */
export function mergeLast<Data extends object>(
  shown: Data | null,
  next: Data | null,
  failures: readonly Failure[],
): LastData<Data> {
  if (shown === null || failures.length === 0) return { data: next, old: [] };
  const isLostAt = (field: string): boolean =>
    (next === null || next[field as keyof Data] == null) &&
    failures.some(({ path }) => path.length === 0 || path[0] === field);
  const old = Object.keys(shown).filter((field) => isLostAt(field) && shown[field as keyof Data] != null);
  if (old.length === 0) return { data: next ?? shown, old };
  const kept = Object.fromEntries(old.map((field) => [field, shown[field as keyof Data]]));
  return { data: { ...(next ?? shown), ...kept }, old };
}
