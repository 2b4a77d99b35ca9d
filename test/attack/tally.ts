/** How often each of several things was done. */
export interface Tally {
  note(...names: readonly string[]): void;
  /** All that was noted, the most frequent first. */
  read(): Readonly<Record<string, number>>;
}

/** Counts by name. */
export function createTally(): Tally {
  const counts = new Map<string, number>();
  return {
    note(...names) {
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    read: () => Object.fromEntries([...counts].sort(([, one], [, other]) => other - one)),
  };
}
