import { hashLength, hashOf, looksOf, type RowHash } from '../paging/anchor.ts';
import { compareMoments, momentOf, type Moment } from '../paging/moment.ts';
import type { WebhookDeliveryRecord } from './webhook-delivery.ts';

/** Where a delivery stands among others: newest first, those of one moment by their hashes, those without a moment last. */
export interface DeliveryPosition {
  readonly moment: Moment | null;
  readonly row: RowHash;
}

/** The position of a delivery. */
export function positionOf(row: WebhookDeliveryRecord): DeliveryPosition {
  return { moment: momentOf(row.started_at), row: hashOf(nameOf(row)) };
}

/** The position behind all deliveries of a moment. */
export function behindMoment(moment: Moment): DeliveryPosition {
  return { moment, row: lastHash };
}

// It sorts behind all other hashes.
const lastHash: RowHash = 'z'.repeat(hashLength);

/** Negative where the first position comes before the second. */
export function comparePositions(left: DeliveryPosition, right: DeliveryPosition): number {
  if (left.moment === null || right.moment === null) {
    const byMoment = Number(left.moment === null) - Number(right.moment === null);
    return byMoment === 0 ? compareHashes(left, right) : byMoment;
  }
  const byMoment = compareMoments(right.moment, left.moment);
  return byMoment === 0 ? compareHashes(left, right) : byMoment;
}

function compareHashes({ row: left }: DeliveryPosition, { row: right }: DeliveryPosition): number {
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
