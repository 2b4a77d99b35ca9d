/** A UTC timestamp as the upstream writes it, to the letter. */
export type Moment = string;

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** The moment of a timestamp; null for any other value. */
export function momentOf(value: unknown): Moment | null {
  return typeof value === 'string' && timestamp.test(value) ? value : null;
}

/** A moment as its digits alone, fraction included: short. */
export function digitsOf(moment: Moment): string {
  return moment.replaceAll(/\D/g, '');
}

/** The moment of the digits that `digitsOf` made. */
export function momentOfDigits(digits: string): Moment {
  const [year, month, day, hour, minute, second] = [0, 4, 6, 8, 10, 12].map((from) =>
    digits.slice(from, from === 0 ? 4 : from + 2),
  );
  const fraction = digits.slice(14);
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction === '' ? '' : `.${fraction}`}Z`;
}

/** Negative where the first moment is the earlier one, 0 where both are the same. */
export function compareMoments(left: Moment, right: Moment): -1 | 0 | 1 {
  // Timestamps of one list have as many digits as a rule.
  const isAlike = left.length === right.length;
  const [a, b] = isAlike ? [left, right] : [digitsOf(left).padEnd(23, '0'), digitsOf(right).padEnd(23, '0')];
  if (a < b) return -1;
  return a === b ? 0 : 1;
}

/** How a list runs in time: newest first, oldest first, or too short for either. */
export type Direction = -1 | 0 | 1;

/** Which way moments run; null where one is missing or they run to and fro. */
export function directionOf(moments: readonly (Moment | null)[]): Direction | null {
  let direction: Direction = 0;
  let previous: Moment | undefined;
  for (const moment of moments) {
    if (moment === null) return null;
    const step = compareMoments(moment, previous ?? moment);
    previous = moment;
    if (step * direction < 0) return null;
    direction = step === 0 ? direction : step;
  }
  return direction;
}
