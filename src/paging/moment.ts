/** A UTC timestamp as its digits alone, fraction included and to the letter: short, and comparable as text. */
export type Moment = string;

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** The moment of a timestamp as the upstream writes it; null for any other value. */
export function momentOf(value: unknown): Moment | null {
  if (typeof value !== 'string' || !timestamp.test(value)) return null;
  // Slices cost a third of what capturing groups do, and each row of a page comes here.
  const date = value.slice(0, 4) + value.slice(5, 7) + value.slice(8, 10);
  return date + value.slice(11, 13) + value.slice(14, 16) + value.slice(17, 19) + value.slice(20, -1);
}

/** The timestamp that `momentOf` was given, to the letter. */
export function timestampOf(moment: Moment): string {
  const [year, month, day, hour, minute, second] = [0, 4, 6, 8, 10, 12].map((from) =>
    moment.slice(from, from === 0 ? 4 : from + 2),
  );
  const fraction = moment.slice(14);
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction === '' ? '' : `.${fraction}`}Z`;
}

/** Negative where the first moment is the earlier one, 0 where both are the same. */
export function compareMoments(left: Moment, right: Moment): -1 | 0 | 1 {
  // Timestamps of one list have as many digits as a rule.
  const isAlike = left.length === right.length;
  const [a, b] = isAlike ? [left, right] : [left.padEnd(23, '0'), right.padEnd(23, '0')];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** How a list runs in time: newest first, oldest first, or too short for either. */
export type Direction = -1 | 0 | 1;

/** Which way moments run; null where one is missing or they run to and fro. */
export function directionOf(moments: readonly (Moment | null)[]): Direction | null {
  let direction: Direction = 0;
  for (const [index, moment] of moments.entries()) {
    const previous = moments[Math.max(0, index - 1)];
    if (previous == null || moment === null) return null;
    const step = compareMoments(moment, previous);
    if (step * direction < 0) return null;
    direction = step === 0 ? direction : step;
  }
  return direction;
}
