import { failure } from '../../support/moving-upstream.ts';
import { chargesSummaryRecord, type JsonRecord } from '../../support/records.ts';
import type { Script, SeenRequest } from '../../support/scripted-upstream.ts';

/** Summaries of the period that is asked for, with the fields of its first day; a period that has none (null) fails. */
export const summariesBy =
  (byStart: Readonly<Record<string, JsonRecord | null>>, others: JsonRecord | null = null): Script =>
  ({ query }) => {
    const { start_date = '', end_date } = query;
    const fields = byStart[start_date] === undefined ? others : byStart[start_date];
    return fields === null ? failure : { json: { data: chargesSummaryRecord({ start_date, end_date, ...fields }) } };
  };

export const withLines = (...lines: readonly unknown[]): JsonRecord => ({ summary: { lines, adjustments: [] } });

/** The first days of the periods that were asked for. */
export const startsOf = (requests: readonly SeenRequest[]) => requests.map(({ query }) => query['start_date']);
