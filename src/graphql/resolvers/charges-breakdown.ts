import type { ChargesBreakdownResolvers, QueryResolvers } from '../../generated/schema.ts';
import { connectionOf } from '../../paging/connection.ts';
import { decodeCursor } from '../../paging/cursor.ts';
import { sliceWindow } from '../../paging/reading.ts';
import { windowOf } from '../../paging/window.ts';
import { getChargesBreakdown, getChargesBreakdownCsv } from '../../upstream/operations/charges-breakdown.ts';
import type { Context } from '../context.ts';
import { checkReportDates, type ReportDates } from '../date-interval.ts';
import { selects } from '../selection.ts';
import { listOf } from '../wire.ts';

export const chargesBreakdown: QueryResolvers<Context>['chargesBreakdown'] = (_root, args, { loaders }) => {
  checkReportDates(args);
  return loaders.load(getChargesBreakdown, args);
};

export const chargesBreakdownCsv: QueryResolvers<Context>['chargesBreakdownCsv'] = async (
  _root,
  args,
  context,
  info,
) => {
  checkReportDates(args);
  const content = selects(info, 'content') ? await context.loaders.load(getChargesBreakdownCsv, args) : '';
  return { content, url: exportUrlOf(args) };
};

/** The report's rows as a connection, sliced here: the upstream sends a report whole. */
export const chargesBreakdownType: Pick<ChargesBreakdownResolvers<Context>, 'results'> = {
  results(report, args) {
    const rows = listOf(report.results, 'results');
    if (rows === null) return null;
    const list = `results ${report.user_id} ${report.start_date} ${report.end_date}`;
    const window = windowOf(args, (cursor) => decodeCursor(list, cursor));
    return connectionOf(list, sliceWindow(window, rows));
  },
};

function exportUrlOf({ startDate, endDate }: ReportDates): string {
  const query = new URLSearchParams({ startDate, ...(endDate != null && { endDate }) });
  return `/exports/charges-breakdown.csv?${query}`;
}
