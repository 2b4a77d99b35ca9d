import type {
  ChargesBreakdownResolvers,
  ChargesBreakdownResultResolvers,
  ChargesBreakdownTotalsResolvers,
  CostTypeTotalResolvers,
  QueryResolvers,
  ServiceOwnerTotalResolvers,
} from '../../generated/schema.ts';
import { isJsonObject } from '../../json.ts';
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
import { totalsOf } from '../billing/breakdown-totals.ts';
import { checkReportDates, type ReportDates } from '../billing/date-interval.ts';
import { costSumOf } from '../billing/number-cost.ts';
import { selectionKey, selectRows } from '../billing/result-filter.ts';
import { WorkSlices } from '../billing/work-slices.ts';
import { createSelectionCheck } from '../execution/selection.ts';
import { checkedList } from '../schema/checked-record.ts';
import { siteOf } from '../schema/misfit.ts';
import type { ChargesBreakdownTotalsParent, Cost } from '../schema/parents.ts';

export const chargesBreakdown: QueryResolvers['chargesBreakdown'] = (_root, args, { loaders }) => {
  checkReportDates(args);
  return loaders.load(getChargesBreakdown, args);
};

const selectsContent = createSelectionCheck('content');
const selectsCost = createSelectionCheck('nodes.cost', 'edges.node.cost');

export const chargesBreakdownCsv: QueryResolvers['chargesBreakdownCsv'] = async (_root, args, context, info) => {
  checkReportDates(args);
  const content = selectsContent(info) ? await context.loaders.load(getChargesBreakdownCsv, args) : '';
  return { content, url: exportUrlOf(args) };
};

const resultsSite = siteOf('ChargesBreakdown.results', 'results');

/** The rows of a report as a connection. They are chosen and sliced here, because the API sends a report as a whole. */
export const chargesBreakdownType: Pick<ChargesBreakdownResolvers, 'results' | 'totals'> = {
  async results(report, args, { costs }, info) {
    const rows = checkedList(report.results, resultsSite, report);
    if (rows === null) return null;
    // They have not been checked, so they may be of any type.
    const owner = JSON.stringify([report.user_id, report.start_date, report.end_date]);
    const selection = selectionKey(args);
    const list = `results ${owner}${selection}`;
    const window = windowOf(args, (cursor) => decodeCursor(list, cursor));
    const source = sourceOfRows(selection === '' ? rows : await selectRows(rows, args), numberOf);
    const connection = connectionOf(await readWindow(window, source, 1), {
      list: () => list,
      momentOf: source.momentOf,
      pin: () => null,
    });
    if (selectsCost(info)) await addUp(connection.rows, costs());
    return connection;
  },
  async totals(report, { filter }) {
    const rows = checkedList(report.results, resultsSite, report);
    if (rows === null) return null;
    const isWhole = selectionKey({ filter }) === '';
    return isWhole ? keptTotalsOf(rows) : totalsOf(await selectRows(rows, { filter }));
  },
};

type Rows = readonly (ChargesBreakdownResultRecord | null)[];

// By the list of a report, which is kept as long as the report is.
const totalsOfReports = new WeakMap<Rows, Promise<ChargesBreakdownTotalsParent>>();

function keptTotalsOf(rows: Rows): Promise<ChargesBreakdownTotalsParent> {
  const totals = totalsOfReports.get(rows) ?? totalsOf(rows);
  totalsOfReports.set(rows, totals);
  return totals;
}

/** Adds up the costs of the numbers of a page, before they are shown one after the other at a stretch. */
async function addUp(rows: Rows, costs: WeakMap<object, Cost>): Promise<void> {
  const slices = new WorkSlices();
  for (const row of rows) if (isJsonObject(row)) costs.set(row, (await costSumOf(row, slices)).cost);
}

export const chargesBreakdownResultType: Pick<ChargesBreakdownResultResolvers, 'cost'> = {
  cost(record, _args, { costs }) {
    const known = costs().get(record);
    return known === undefined ? costOf(record) : shown(known);
  },
};

/** Of a record that is not the row itself. */
async function costOf(record: ChargesBreakdownResultRecord): Promise<string | null> {
  return shown((await costSumOf(record, new WorkSlices())).cost);
}

export const chargesBreakdownTotals: ChargesBreakdownTotalsResolvers = {
  cost: ({ cost }) => shown(cost),
  byCostType: ({ byCostType }) => shown(byCostType),
  byServiceOwner: ({ byServiceOwner }) => shown(byServiceOwner),
};

export const costTypeTotal: Pick<CostTypeTotalResolvers, 'cost'> = { cost: ({ cost }) => shown(cost) };

export const serviceOwnerTotal: Pick<ServiceOwnerTotalResolvers, 'cost'> = { cost: ({ cost }) => shown(cost) };

/** What is known; throws the error for which it is not. */
function shown<Value>(value: Value | Error): Value {
  if (value instanceof Error) throw value;
  return value;
}

function numberOf(row: ChargesBreakdownResultRecord | null): string | null {
  return typeof row?.tn === 'string' ? row.tn : null;
}

function exportUrlOf({ startDate, endDate }: ReportDates): string {
  const query = new URLSearchParams({ startDate, ...(endDate != null && { endDate }) });
  return `/exports/charges-breakdown.csv?${query}`;
}
