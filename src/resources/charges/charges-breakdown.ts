import { checkReportDates, repeatedPeriod, type ReportDates } from '../../billing/date-interval.ts';
import type {
  ChargesBreakdownRecord,
  ChargesBreakdownResultRecord,
  ChargesBreakdownTotalsRecord,
} from '../../generated/records.ts';
import type {
  ChargesBreakdownResultsArgs,
  ChargesBreakdownTotalsArgs,
  QueryResolvers,
} from '../../generated/schema.ts';
import { createSelectionCheck } from '../../graphql/document.ts';
import { checkedList, siteOf } from '../../graphql/schema/checked-value.ts';
import { aBody, nothing, someCalls, someObjects, sum, type CostOfArguments } from '../../limits/field-cost.ts';
import { connectionOf } from '../../paging/connection.ts';
import { decodeCursor } from '../../paging/cursor.ts';
import { sourceOfRows } from '../../paging/source.ts';
import { readWindow } from '../../paging/window-reading.ts';
import { windowOf } from '../../paging/window.ts';
import type { Endpoint, Parameter } from '../../upstream/endpoint.ts';
import { readObject } from '../../upstream/response/body-reader.ts';
import { readCsv } from '../../upstream/response/csv-report.ts';
import { WorkSlices } from '../../time-slices.ts';
import type { Resource } from '../resource.ts';
import { selectionKey, selectRows } from './breakdown-selection.ts';
import { costSumOf, totalsOf } from './breakdown-totals.ts';

/** Objects that a pass through a report counts as in the cost of an operation, because it takes as long as they do. */
export const reportPasses = { filtered: 200, addedUp: 1_000 } as const;

const parameters: readonly Parameter[] = [
  { argument: ['startDate'], name: 'start_date' },
  { argument: ['endDate'], name: 'end_date' },
];

/** REST contract, "GET /charges_breakdown": the charges of at most 31 days, number by number. */
export const getChargesBreakdown: Endpoint<ChargesBreakdownRecord> = {
  name: 'GET /charges_breakdown',
  coordinate: 'Query.chargesBreakdown',
  path: '/charges_breakdown',
  accept: 'application/json',
  parameters,
  constants: { format: 'json' },
  read: readObject,
  repeated: repeatedPeriod,
  isPagedHere: true,
};

/** The same report as CSV text, whose columns the contract does not show. */
export const getChargesBreakdownCsv: Endpoint<string> = {
  name: getChargesBreakdown.name,
  coordinate: 'Query.chargesBreakdownCsv',
  path: getChargesBreakdown.path,
  accept: 'text/csv',
  parameters,
  constants: { format: 'csv' },
  read: readCsv,
};

const chargesBreakdown: QueryResolvers['chargesBreakdown'] = (_root, args, { loaders }) => {
  checkReportDates(args);
  return loaders.load(getChargesBreakdown, args);
};

const selectsContent = createSelectionCheck('content');

const chargesBreakdownCsv: QueryResolvers['chargesBreakdownCsv'] = async (_root, args, context, info) => {
  checkReportDates(args);
  // Where it is not selected, no call is made for it.
  const content = selectsContent(info) ? await context.loaders.load(getChargesBreakdownCsv, args) : '';
  return { content, url: exportUrlOf(args) };
};

const resultsSite = siteOf('ChargesBreakdown.results');

/** The rows of a report as a connection. They are chosen and sliced here, because the API sends a report as a whole. */
const chargesBreakdownFields = {
  async results(report: ChargesBreakdownRecord, args: Partial<ChargesBreakdownResultsArgs>) {
    const rows = checkedList(report.results, resultsSite, report);
    if (rows === null) return null;
    // They have not been checked, so they may be of any type.
    const owner = JSON.stringify([report.user_id, report.start_date, report.end_date]);
    const selection = selectionKey(args);
    const list = `results ${owner}${selection}`;
    const window = windowOf(args, (cursor) => decodeCursor(list, cursor));
    const source = sourceOfRows(selection === '' ? rows : await selectRows(rows, args), numberOf);
    const origin = { list: () => list, newest: () => null };
    return connectionOf(await readWindow(window, source, 1), origin);
  },
  async totals(report: ChargesBreakdownRecord, { filter }: Partial<ChargesBreakdownTotalsArgs>) {
    const rows = checkedList(report.results, resultsSite, report);
    if (rows === null) return null;
    const isWhole = selectionKey({ filter }) === '';
    return isWhole ? keptTotalsOf(rows) : totalsOf(await selectRows(rows, { filter }));
  },
};

type Rows = NonNullable<ChargesBreakdownRecord['results']>;

// By the list of a report, which is kept as long as the report is.
const totalsOfReports = new WeakMap<Rows, Promise<ChargesBreakdownTotalsRecord>>();

function keptTotalsOf(rows: Rows): Promise<ChargesBreakdownTotalsRecord> {
  const totals = totalsOfReports.get(rows) ?? totalsOf(rows);
  totalsOfReports.set(rows, totals);
  return totals;
}

// By the records of a report.
const costs = new WeakMap<ChargesBreakdownResultRecord, Promise<string | null>>();

/** Added up once, however often it is selected. */
function keptCostOf(record: ChargesBreakdownResultRecord): Promise<string | null> {
  const cost = costs.get(record) ?? costOf(record);
  costs.set(record, cost);
  return cost;
}

async function costOf(record: ChargesBreakdownResultRecord): Promise<string | null> {
  const slices = new WorkSlices();
  // All numbers of a page are asked for at once.
  while (slices.isOverNow()) await slices.rest();
  const { cost } = await costSumOf(record, slices);
  if (cost instanceof Error) throw cost;
  return cost;
}

function numberOf(row: ChargesBreakdownResultRecord | null): string | null {
  return typeof row?.tn === 'string' ? row.tn : null;
}

function exportUrlOf({ startDate, endDate }: ReportDates): string {
  const query = new URLSearchParams({ startDate, ...(endDate != null && { endDate }) });
  return `/exports/charges-breakdown.csv?${query}`;
}

/** A report is one call. It is held as a whole, however little of it is selected. */
const reportAs =
  (form: 'json' | 'csv'): CostOfArguments =>
  ({ startDate, endDate }, { reportWeight: weight = 0 }) =>
    sum([someCalls(1), aBody(`report ${form} ${String(startDate)} ${String(endDate)}`, weight)]);

export const resource = {
  records: [getChargesBreakdown],
  fields: {
    Query: { chargesBreakdown, chargesBreakdownCsv },
    ChargesBreakdown: chargesBreakdownFields,
    ChargesBreakdownResult: { cost: keptCostOf },
  },
  costs: {
    'Query.chargesBreakdown': reportAs('json'),
    'Query.chargesBreakdownCsv': reportAs('csv'),
    'ChargesBreakdown.results': (args) => (selectionKey(args) === '' ? nothing : someObjects(reportPasses.filtered)),
    'ChargesBreakdown.totals': someObjects(reportPasses.addedUp),
  },
} satisfies Resource;
