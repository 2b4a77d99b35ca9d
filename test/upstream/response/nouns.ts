import * as records from '../../support/records.ts';
import type { Reply } from '../../support/scripted-upstream.ts';
import { selectionOf, type Path } from '../../support/records.ts';

/** A noun with a full record, a document that selects all of it, and the upstream's reply with the record. */
function noun(field: string, args: string, record: records.JsonRecord) {
  const isList = args === '';
  const selection = selectionOf(record);
  return {
    field,
    record,
    /** Whether it is a row of a list, where others stand beside it. */
    isList,
    document: isList ? `{ ${field} { nodes ${selection} } }` : `{ ${field}${args} ${selection} }`,
    /** The path of a row in the result. */
    rowPath: (index: number): Path => (isList ? [field, 'nodes', index] : [field]),
    replyOf: (rows: readonly unknown[]): Reply => ({
      json: isList ? { data: rows, meta: { total_results: rows.length } } : { data: rows[0] },
    }),
  };
}

/** The nouns of all five operations. */
export const nouns = [
  noun('chargesSummary', '(startDate: "2026-10-01", endDate: "2026-11-01")', records.chargesSummaryRecord()),
  noun('chargesBreakdown', '(startDate: "2026-10-01")', records.chargesBreakdownRecord()),
  noun('ipConnections', '', records.ipConnectionRecord()),
  noun('missions', '', records.missionRecord()),
  noun('webhookDeliveries', '', records.webhookDeliveryRecord()),
];

/** The value at a path; undefined where it leads nowhere. */
export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner as Record<string | number, unknown> | null | undefined)?.[name],
    value,
  );
}

export function startsWith(path: Path, start: Path): boolean {
  return start.every((name, index) => path[index] === name);
}
