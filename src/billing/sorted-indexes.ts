import type { WorkSlices } from '../work-slices.ts';

type Compare = (left: number, right: number) => number;

// Each of them is sorted at a stretch.
const runLength = 32;

/** Sorts indexes in slices. Those that compare as 0 keep their order. */
export async function sortIndexes(
  indexes: readonly number[],
  compare: Compare,
  slices: WorkSlices,
): Promise<readonly number[]> {
  let sorted: number[] = [];
  for (let from = 0; from < indexes.length; from += runLength) {
    if (slices.isOver()) await slices.rest();
    for (const index of indexes.slice(from, from + runLength).sort(compare)) sorted.push(index);
  }
  for (let length = runLength; length < sorted.length; length *= 2)
    sorted = await merge(sorted, length, compare, slices);
  return sorted;
}

/** Merges sorted runs of a length, each with the one behind it. */
async function merge(sorted: readonly number[], length: number, compare: Compare, slices: WorkSlices) {
  const merged: number[] = [];
  for (let from = 0; from < sorted.length; from += 2 * length) {
    const middle = Math.min(from + length, sorted.length);
    const end = Math.min(middle + length, sorted.length);
    let [left, right] = [from, middle];
    while (left < middle || right < end) {
      if (slices.isOver()) await slices.rest();
      const isLeft = right >= end || (left < middle && compare(sorted[left] ?? 0, sorted[right] ?? 0) <= 0);
      merged.push(sorted[isLeft ? left++ : right++] ?? 0);
    }
  }
  return merged;
}
