import type { ChargesBreakdownResultFilter, ChargesBreakdownResultOrder } from '../generated/schema.ts';
import { isJsonObject } from '../json.ts';
import type { ChargesBreakdownResultRecord } from '../resources/charges-breakdown.ts';
import { inOrder } from './result-order.ts';
import { WorkSlices } from '../work-slices.ts';

type Rows = readonly (ChargesBreakdownResultRecord | null)[];

/** Which rows of a report are listed, and in which order. */
export interface ResultSelection {
  readonly filter?: ChargesBreakdownResultFilter | null | undefined;
  readonly orderBy?: ChargesBreakdownResultOrder | null | undefined;
}

interface Condition {
  /** The text that is wanted; null or undefined where the filter says nothing of it. */
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
  const texts = Object.values(conditions).map(({ wanted }) => wanted(filter ?? {}));
  const order = Object.keys(columns).map((name) => orderBy?.[name as keyof ChargesBreakdownResultOrder]);
  const parts = [...texts, ...order];
  return parts.every((part) => part == null) ? '' : JSON.stringify(parts.map((part) => part ?? null));
}

/** The rows of a report that a selection has. Rows in which the text of a condition is missing or no text do not match it. */
export async function selectRows(rows: Rows, { filter, orderBy }: ResultSelection): Promise<Rows> {
  const ordered = orderBy == null ? rows : await inOrder(rows, orderBy);
  const given = givenConditions(filter ?? {});
  if (given.length === 0) return ordered;
  const slices = new WorkSlices();
  const selected: Rows[number][] = [];
  for (const row of ordered) {
    if (slices.isOver()) await slices.rest();
    if (isJsonObject(row) && given.every((matches) => matches(row as ChargesBreakdownResultRecord))) selected.push(row);
  }
  return selected;
}

function givenConditions(filter: ChargesBreakdownResultFilter) {
  return Object.values(conditions).flatMap(({ wanted, matches }) => {
    const text = wanted(filter);
    return text == null ? [] : [(row: ChargesBreakdownResultRecord) => matches(row, text)];
  });
}
