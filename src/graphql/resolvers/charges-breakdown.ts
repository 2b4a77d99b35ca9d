import type { ChargesBreakdownResolvers, QueryResolvers } from '../../generated/schema.ts';
import { connectionOf } from '../../paging/connection.ts';
import { decodeCursor } from '../../paging/cursor.ts';
import { readWindow } from '../../paging/window-reading.ts';
import { sourceOfRows } from '../../paging/source.ts';
import { windowOf } from '../../paging/window.ts';
import {
  getChargesBreakdown,
  getChargesBreakdownCsv,
  type ChargesBreakdownResultRecord,
} from '../../upstream/endpoints/charges-breakdown.ts';
import { checkReportDates, type ReportDates } from '../billing/date-interval.ts';
import { selects } from '../execution/selection.ts';
import { checkedList } from '../schema/checked-record.ts';
import { siteOf } from '../schema/misfit.ts';

export const chargesBreakdown: QueryResolvers['chargesBreakdown'] = (_root, args, { loaders }) => {
  checkReportDates(args);
  return loaders.load(getChargesBreakdown, args);
};

export const chargesBreakdownCsv: QueryResolvers['chargesBreakdownCsv'] = async (_root, args, context, info) => {
  checkReportDates(args);
  const content = selects(info, 'content') ? await context.loaders.load(getChargesBreakdownCsv, args) : '';
  return { content, url: exportUrlOf(args) };
};

const resultsSite = siteOf('ChargesBreakdown.results', 'results');

/** The rows of a report as a connection. They are sliced here, because the API sends a report as a whole. */
export const chargesBreakdownType: Pick<ChargesBreakdownResolvers, 'results'> = {
  async results(report, args) {
    const rows = checkedList(report.results, resultsSite, report);
    if (rows === null) return null;
    // They have not been checked, so they may be of any type.
    const list = `results ${JSON.stringify([report.user_id, report.start_date, report.end_date])}`;
    const window = windowOf(args, (cursor) => decodeCursor(list, cursor));
    const source = sourceOfRows(rows, numberOf);
    return connectionOf(await readWindow(window, source, 1), { list, momentOf: source.momentOf, pin: () => null });
  },
};

function numberOf(row: ChargesBreakdownResultRecord | null): string | null {
  return typeof row?.tn === 'string' ? row.tn : null;
}

function exportUrlOf({ startDate, endDate }: ReportDates): string {
  const query = new URLSearchParams({ startDate, ...(endDate != null && { endDate }) });
  return `/exports/charges-breakdown.csv?${query}`;
}
