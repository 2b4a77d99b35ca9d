import type { ChargesBreakdownResultFilter, ChargesBreakdownResultOrder } from '../../generated/schema.ts';
import { isJsonObject } from '../../json.ts';
import type { ChargesBreakdownResultRecord } from '../../upstream/endpoints/charges-breakdown.ts';
import { inOrder } from './result-order.ts';
import { WorkSlices } from './work-slices.ts';

type Rows = readonly (ChargesBreakdownResultRecord | null)[];
type Filter = ChargesBreakdownResultFilter | null | undefined;

/** Which rows of a report are listed, and in which order. */
export interface ResultSelection {
  readonly filter?: Filter;
  readonly orderBy?: ChargesBreakdownResultOrder | null | undefined;
}

/** A text that is the same for selections of the same rows in the same order; empty for all rows in the order of the report. */
export function selectionKey({ filter, orderBy }: ResultSelection): string {
  const { tn, chargeType, serviceOwnerEmail } = filter ?? {};
  const parts = [tn?.contains, chargeType?.eq, serviceOwnerEmail?.eq, orderBy?.field, orderBy?.direction];
  return parts.every((part) => part == null) ? '' : JSON.stringify(parts.map((part) => part ?? null));
}

/** The rows of a report that a selection has. Rows in which the text of a condition is missing or no text do not match it. */
export async function selectRows(rows: Rows, { filter, orderBy }: ResultSelection): Promise<Rows> {
  const ordered = orderBy == null ? rows : await inOrder(rows, orderBy);
  const contains = filter?.tn?.contains;
  const chargeType = filter?.chargeType?.eq;
  const owner = filter?.serviceOwnerEmail?.eq;
  if (contains == null && chargeType == null && owner == null) return ordered;
  const slices = new WorkSlices();
  const selected: Rows[number][] = [];
  for (const row of ordered) {
    if (slices.isOver()) await slices.rest();
    if (!isJsonObject(row)) continue;
    const { tn, charge_type: type, service_owner_email: email } = row as ChargesBreakdownResultRecord;
    if (contains != null && !(typeof tn === 'string' && tn.includes(contains))) continue;
    if (chargeType != null && type !== chargeType) continue;
    if (owner == null || email === owner) selected.push(row);
  }
  return selected;
}
