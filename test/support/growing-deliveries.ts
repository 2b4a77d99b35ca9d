import { webhookDeliveryRecord, type JsonRecord } from './records.ts';
import { pageReply, type Reply, type SeenRequest } from './scripted-upstream.ts';

const firstMoment = Date.parse('2026-10-01T00:00:00Z');

/** The timestamp of a second, which may have a fraction, after the first of October. */
export function timestampAt(second: number): string {
  return new Date(firstMoment + second * 1000).toISOString();
}

/** The deliveries of an upstream to which more come: newest first, filtered by when they began and by their status. */
export class GrowingDeliveries {
  rows: readonly JsonRecord[] = [];
  #made = 0;

  /** Adds deliveries that began at these seconds, and returns their identifiers. */
  add(seconds: readonly number[], fields: JsonRecord = {}): readonly string[] {
    const added = seconds.map((second) =>
      webhookDeliveryRecord({ id: `delivery-${this.#made++}`, started_at: timestampAt(second), ...fields }),
    );
    const startOf = (row: JsonRecord): number => Date.parse(String(row['started_at']));
    this.rows = [...added.toReversed(), ...this.rows].sort((a, b) => startOf(b) - startOf(a));
    return added.map(({ id }) => String(id));
  }

  readonly answer = (request: SeenRequest): Reply =>
    pageReply(
      this.rows.filter((row) => matches(row, request)),
      request,
    );
}

function matches(row: JsonRecord, { query }: SeenRequest): boolean {
  const started = Date.parse(String(row['started_at']));
  const from = query['filter[started_at][gte]'];
  const to = query['filter[started_at][lte]'];
  const status = query['filter[status][eq]'];
  if (from !== undefined && started < Date.parse(from)) return false;
  if (to !== undefined && started > Date.parse(to)) return false;
  return status === undefined || row['status'] === status;
}
