import { Big } from 'big.js';
import { GatewayError } from '../../errors.ts';
import type { ChargesBreakdownResultRecord } from '../../generated/records.ts';
import type { ChargesBreakdownResultFilter, ChargesBreakdownResultOrder } from '../../generated/schema.ts';
import { isJsonObject } from '../../json.ts';
import { WorkSlices } from '../../time-slices.ts';
import { costSumOf } from './breakdown-totals.ts';

/** Digits of costs that a sort remembers: sixteen megabytes. The costs of an honest report of any size have fewer. */
export const sortedDigits = 2_000_000;

type Row = ChargesBreakdownResultRecord | null;
type Rows = readonly Row[];

/** Which rows of a report are listed, and in which order. */
interface ResultSelection {
  readonly filter?: ChargesBreakdownResultFilter | null | undefined;
  readonly orderBy?: ChargesBreakdownResultOrder | null | undefined;
}

interface Condition {
  /** The text that is wanted; empty, null or undefined where the filter says nothing of it. */
  readonly wanted: (filter: ChargesBreakdownResultFilter) => string | null | undefined;
  readonly matches: (row: ChargesBreakdownResultRecord, text: string) => boolean;
}

// A member that the schema adds to the filter does not compile without its condition.
const conditions: Readonly<Record<keyof ChargesBreakdownResultFilter, Condition>> = {
  tn: {
    wanted: ({ tn }) => tn?.contains,
    matches: ({ tn }, text) => typeof tn === 'string' && tn.includes(text),
  },
  chargeType: {
    wanted: ({ chargeType }) => chargeType?.eq,
    matches: (row, text) => row.charge_type === text,
  },
  serviceOwnerEmail: {
    wanted: ({ serviceOwnerEmail }) => serviceOwnerEmail?.eq,
    matches: (row, text) => row.service_owner_email === text,
  },
};

const columns: Readonly<Record<keyof ChargesBreakdownResultOrder, true>> = { field: true, direction: true };

/** A text that is the same for selections of the same rows in the same order; empty for all rows in the order of the report. */
export function selectionKey({ filter, orderBy }: ResultSelection): string {
  const texts = Object.values(conditions).map(({ wanted }) => wanted(filter ?? {}) || null);
  const order = Object.keys(columns).map((name) => orderBy?.[name as keyof ChargesBreakdownResultOrder]);
  const parts = [...texts, ...order];
  return parts.every((part) => part == null) ? '' : JSON.stringify(parts.map((part) => part ?? null));
}

/** The rows of a report that a selection has. Rows in which the text of a condition is missing or no text do not match it. */
export async function selectRows(rows: Rows, { filter, orderBy }: ResultSelection): Promise<Rows> {
  const ordered = orderBy == null ? rows : await inOrder(rows, orderBy);
  const given = givenConditions(filter ?? {});
  if (given.length === 0) return ordered;
  const selected: Row[] = [];
  await new WorkSlices().each(ordered, (row) => {
    if (isJsonObject(row) && given.every((matches) => matches(row as ChargesBreakdownResultRecord))) selected.push(row);
  });
  return selected;
}

function givenConditions(filter: ChargesBreakdownResultFilter) {
  return Object.values(conditions).flatMap(({ wanted, matches }) => {
    const text = wanted(filter) ?? '';
    return text === '' ? [] : [(row: ChargesBreakdownResultRecord) => matches(row, text)];
  });
}

// By the list of a report, which is kept as long as the report is: a sorted list takes eight bytes for each row.
const sortedReports = new WeakMap<Rows, Map<string, Promise<Rows>>>();

/**
 * The rows of a report in an order. Rows of equal values stay in the order of the report, and those whose value is not known come
 * last, whatever the direction. Throws QUERY_TOO_COMPLEX where costs have so many digits that they cannot be sorted.
 */
function inOrder(rows: Rows, order: ChargesBreakdownResultOrder): Promise<Rows> {
  const orders = sortedReports.get(rows) ?? new Map<string, Promise<Rows>>();
  sortedReports.set(rows, orders);
  const name = `${order.field} ${order.direction}`;
  const known = orders.get(name) ?? sort(rows, order);
  orders.set(name, known);
  return known;
}

async function sort(rows: Rows, { field, direction }: ChargesBreakdownResultOrder): Promise<Rows> {
  const slices = new WorkSlices();
  const keys: Key[] = [];
  const [known, unknown]: [number[], number[]] = [[], []];
  let digits = 0;
  for (const [index, row] of rows.entries()) {
    if (slices.isOver()) await slices.rest();
    const key = field === 'TN' ? numberOf(row) : (await costSumOf(row, slices)).known?.value;
    if (key instanceof Big) digits += key.c.length;
    if (digits > sortedDigits) throw tooManyDigits(digits);
    keys.push(key);
    (key === undefined ? unknown : known).push(index);
  }
  const sign = direction === 'DESC' ? -1 : 1;
  const sorted = await sortIndexes(known, (left, right) => sign * compareKeys(keys[left], keys[right]), slices);
  return [...sorted, ...unknown].map((index) => rows[index] as Row);
}

/** What a row is sorted by, its number or its cost; undefined where that is not known. */
type Key = string | Big | undefined;

function numberOf(row: Row): string | undefined {
  return isJsonObject(row) && typeof row['tn'] === 'string' ? row['tn'] : undefined;
}

function compareKeys(left: Key, right: Key): number {
  if (left instanceof Big && right instanceof Big) return left.cmp(right);
  return left === right ? 0 : String(left) < String(right) ? -1 : 1;
}

function tooManyDigits(actual: number): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `The costs of this report have more than ${sortedDigits} digits together, and cannot be sorted. Leave orderBy out.`,
    excess: { limit: sortedDigits, actual },
  });
}

type Compare = (left: number, right: number) => number;

// Each of them is sorted at a stretch.
const runLength = 32;

/** Sorts indexes in slices. Those that compare as 0 keep their order. */
async function sortIndexes(
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
      const isLeft = right >= end || (left < middle && compare(sorted[left] as number, sorted[right] as number) <= 0);
      merged.push(sorted[isLeft ? left++ : right++] as number);
    }
  }
  return merged;
}
