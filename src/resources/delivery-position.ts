import { markLength, markOf, type Mark } from '../paging/anchor.ts';
import { compareMoments, momentOf, type Moment } from '../paging/moment.ts';
import { looksOf } from '../paging/row-identity.ts';
import type { WebhookDeliveryRecord } from './webhook-delivery.ts';

/** Where a delivery stands among others: newest first, those of one moment by their marks, those without a moment last. */
export interface DeliveryPosition {
  readonly moment: Moment | null;
  readonly mark: Mark;
}

/** The position of a delivery. */
export function positionOf(row: WebhookDeliveryRecord): DeliveryPosition {
  return { moment: momentOf(row.started_at), mark: markOf(nameOf(row)) };
}

/** The position behind all deliveries of a moment. */
export function behindMoment(moment: Moment): DeliveryPosition {
  return { moment, mark: lastMark };
}

// It sorts behind all other marks.
const lastMark: Mark = 'z'.repeat(markLength);

/** Negative where the first position comes before the second. */
export function comparePositions(left: DeliveryPosition, right: DeliveryPosition): number {
  if (left.moment === null || right.moment === null) {
    const byMoment = Number(left.moment === null) - Number(right.moment === null);
    return byMoment === 0 ? compareMarks(left, right) : byMoment;
  }
  const byMoment = compareMoments(right.moment, left.moment);
  return byMoment === 0 ? compareMarks(left, right) : byMoment;
}

function compareMarks({ mark: left }: DeliveryPosition, { mark: right }: DeliveryPosition): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Each delivery once: lists overlap, and so do the pages of a list that is read on by time. */
export function distinct(rows: readonly WebhookDeliveryRecord[]): readonly WebhookDeliveryRecord[] {
  return [...new Map(rows.map((row) => [nameOf(row), row])).values()];
}

function nameOf(row: WebhookDeliveryRecord): string {
  return typeof row.id === 'string' ? row.id : looksOf(row);
}
