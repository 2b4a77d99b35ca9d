import { Big } from 'big.js';
import { sortedDigits } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import type { ChargesBreakdownResultOrder } from '../generated/schema.ts';
import { isJsonObject } from '../json.ts';
import type { ChargesBreakdownResultRecord } from '../resources/charges-breakdown.ts';
import { costSumOf } from './number-cost.ts';
import { sortIndexes } from './sorted-indexes.ts';
import { WorkSlices } from '../work-slices.ts';

type Row = ChargesBreakdownResultRecord | null;
type Rows = readonly Row[];

/** What rows are compared by: null where their value is not known. */
interface Keys {
  isKnown(index: number): boolean;
  compare(left: number, right: number): number;
}

// By the list of a report, which is kept as long as the report is: a sorted list takes eight bytes for each row.
const sorted = new WeakMap<Rows, Map<string, Promise<Rows>>>();

/**
 * The rows of a report in an order. Rows of equal values stay in the order of the report, and those whose value is not known come
 * last, whatever the direction. Throws QUERY_TOO_COMPLEX where costs have so many digits that they cannot be sorted.
 */
export function inOrder(rows: Rows, order: ChargesBreakdownResultOrder): Promise<Rows> {
  const orders = sorted.get(rows) ?? new Map<string, Promise<Rows>>();
  sorted.set(rows, orders);
  const name = `${order.field} ${order.direction}`;
  const known = orders.get(name) ?? sort(rows, order);
  orders.set(name, known);
  return known;
}

async function sort(rows: Rows, { field, direction }: ChargesBreakdownResultOrder): Promise<Rows> {
  const slices = new WorkSlices();
  const keys = field === 'TN' ? numberKeys(rows) : await costKeys(rows, slices);
  const [known, unknown]: [number[], number[]] = [[], []];
  for (let index = 0; index < rows.length; index++) {
    if (slices.isOver()) await slices.rest();
    (keys.isKnown(index) ? known : unknown).push(index);
  }
  const sign = direction === 'DESC' ? -1 : 1;
  const indexes = await sortIndexes(known, (left, right) => sign * keys.compare(left, right), slices);
  return [...indexes, ...unknown].map((index) => rows[index] as Row);
}

function numberKeys(rows: Rows): Keys {
  const numberAt = (index: number): unknown => (isJsonObject(rows[index]) ? rows[index]['tn'] : undefined);
  return {
    isKnown: (index) => typeof numberAt(index) === 'string',
    compare(left, right) {
      const [a, b] = [numberAt(left) as string, numberAt(right) as string];
      if (a === b) return 0;
      return a < b ? -1 : 1;
    },
  };
}

// A double tells decimals of so many digits from each other.
const exactDigits = 15;
const exactExponent = 300;

/**
 * The nearest doubles of all costs: they order costs that differ by more than their precision. Equal ones of up to fifteen digits are
 * equal costs; for others the digits decide.
 */
async function costKeys(rows: Rows, slices: WorkSlices): Promise<Keys> {
  const nearest = new Float64Array(rows.length).fill(NaN);
  const long = new Map<number, Big>();
  let digits = 0;
  for (let index = 0; index < rows.length; index++) {
    if (slices.isOver()) await slices.rest();
    const cost = (await costSumOf(rows[index], slices)).known?.value;
    if (cost === undefined) continue;
    nearest[index] = cost.toNumber();
    if (cost.c.length <= exactDigits && Math.abs(cost.e) < exactExponent) continue;
    long.set(index, cost);
    digits += cost.c.length;
    if (digits > sortedDigits) throw tooManyDigits(digits);
  }
  const digitsAt = (index: number): Big => long.get(index) ?? new Big(nearest[index] ?? 0);
  return {
    isKnown: (index) => !Number.isNaN(nearest[index]),
    compare(left, right) {
      const [a, b] = [nearest[left] ?? 0, nearest[right] ?? 0];
      if (a !== b) return a < b ? -1 : 1;
      return long.has(left) || long.has(right) ? digitsAt(left).cmp(digitsAt(right)) : 0;
    },
  };
}

function tooManyDigits(actual: number): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `The costs of this report have more than ${sortedDigits} digits together, and cannot be sorted. Leave orderBy out.`,
    excess: { limit: sortedDigits, actual },
  });
}
