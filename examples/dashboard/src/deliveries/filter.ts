import type { WebhookDeliveryFilter } from '../generated/documents.ts';
import type { Labels } from '../gateway/failure-wording.ts';
import { dayBefore, type Period } from '../values/day.ts';

/** What is typed in and stands in the address; empty fields do not limit. */
export interface DeliveryDraft {
  readonly status: string;
  /** To the minute and in UTC, as the browser's field has it: `2026-10-10T00:00`. */
  readonly from: string;
  readonly to: string;
}

/** A draft that does not limit. */
export const empty: DeliveryDraft = { status: '', from: '', to: '' };

/** The arguments that the form fills, and its labels for them. */
export const filterLabels: Labels = {
  'filter.status.eq': 'Status',
  'filter.startedAt': 'Started',
  'filter.startedAt.gte': 'Started from (UTC)',
  'filter.startedAt.lte': 'Started until (UTC)',
};

/** The draft of the page's address. */
export function draftOf(address: URLSearchParams): DeliveryDraft {
  return {
    status: address.get('status') ?? '',
    from: address.get('started-from') ?? '',
    to: address.get('started-until') ?? '',
  };
}

/** The parameters of the address for a draft. */
export function parametersOf({ status, from, to }: DeliveryDraft): Readonly<Record<string, string>> {
  return { status, 'started-from': from, 'started-until': to };
}

/** The draft as the schema's filter. */
export function filterOf({ status, from, to }: DeliveryDraft): WebhookDeliveryFilter {
  return {
    status: { eq: status },
    startedAt: { gte: momentOf(from, '00'), lte: momentOf(to, '59.999999') },
  };
}

/** The field has minutes and no zone, and is labelled UTC; null where it is empty. */
function momentOf(local: string, seconds: string): string | null {
  return local === '' ? null : `${local}:${seconds}Z`;
}

/** A period's first and last minute. */
export function minutesOf({ startDate, endDate }: Period): Pick<DeliveryDraft, 'from' | 'to'> {
  return { from: `${startDate}T00:00`, to: `${dayBefore(endDate)}T23:59` };
}
