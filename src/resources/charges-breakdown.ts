import { costSumOf, totalsOf } from '../billing/breakdown-cost.ts';
import { selectionKey, selectRows } from '../billing/breakdown-selection.ts';
import { checkReportDates, repeatedPeriod, type ReportDates } from '../billing/date-interval.ts';
import { WorkSlices } from '../time-slices.ts';
import type { ChargesBreakdownResultsArgs, ChargesBreakdownTotalsArgs, QueryResolvers } from '../generated/schema.ts';
import type { Context } from '../graphql/context.ts';
import { createSelectionCheck } from '../graphql/document.ts';
import { checkedList, siteOf } from '../graphql/schema/checked-value.ts';
import { aBody, nothing, someCalls, someObjects, sum, type CostOfArguments } from '../limits/field-cost.ts';
import { connectionOf } from '../paging/connection.ts';
import { decodeCursor } from '../paging/cursor.ts';
import { sourceOfRows } from '../paging/source.ts';
import { readWindow } from '../paging/window-reading.ts';
import { windowOf } from '../paging/window.ts';
import type { Endpoint, Parameter } from '../upstream/endpoint.ts';
import { readObject } from '../upstream/response/body-reader.ts';
import { readCsv } from '../upstream/response/csv-report.ts';
import type { Resource } from './resource.ts';

/** Objects that a pass through a report counts as in the cost of an operation, because it takes as long as they do. */
export const reportPasses = { filtered: 200, addedUp: 1_000 } as const;

/** The charges of an account for one period, by phone number. REST contract, 'Charges breakdown'. */
export interface ChargesBreakdownRecord {
  readonly user_id?: string | null;
  readonly start_date?: string | null;
  readonly end_date?: string | null;
  readonly user_email?: string | null;
  readonly currency?: string | null;
  readonly results?: readonly (ChargesBreakdownResultRecord | null)[] | null;
}

/** The charges of one phone number. REST contract, 'Charges breakdown', Result record. */
export interface ChargesBreakdownResultRecord {
  readonly tn?: string | null;
  readonly charge_type?: string | null;
  readonly service_owner_user_id?: string | null;
  readonly service_owner_email?: string | null;
  readonly services?: readonly (ServiceChargeRecord | null)[] | null;
}

/** What one service cost, a decimal string. REST contract, 'Charges breakdown', Service charge record. */
export interface ServiceChargeRecord {
  readonly cost_type?: string | null;
  readonly name?: string | null;
  readonly cost?: string | null;
}

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

/** `content` is empty where it was not selected: then no call was made for it. */
export interface ChargesBreakdownCsvParent {
  readonly content: string;
  readonly url: string;
}

/** A sum of costs as text: null where one of them is missing, the error where one of them could not be read. */
export type Cost = string | null | Error;

/** A sum of costs by their kind, which is as the platform sent it. */
export interface CostTypeTotalParent {
  readonly cost_type?: string | null | undefined;
  readonly cost: Cost;
}

/** A sum of costs by the owner of the services, whose names are as the platform sent them. */
export interface ServiceOwnerTotalParent {
  readonly service_owner_user_id?: string | null | undefined;
  readonly service_owner_email?: string | null | undefined;
  readonly cost: Cost;
}

/** What a report costs. A list is null, or the error for it, where it is not known which items it has. */
export interface ChargesBreakdownTotalsParent {
  readonly cost: Cost;
  readonly byCostType: readonly CostTypeTotalParent[] | Error | null;
  readonly byServiceOwner: readonly ServiceOwnerTotalParent[] | Error | null;
}

const chargesBreakdown: QueryResolvers['chargesBreakdown'] = (_root, args, { loaders }) => {
  checkReportDates(args);
  return loaders.load(getChargesBreakdown, args);
};

const selectsContent = createSelectionCheck('content');

const chargesBreakdownCsv: QueryResolvers['chargesBreakdownCsv'] = async (_root, args, context, info) => {
  checkReportDates(args);
  const content = selectsContent(info) ? await context.loaders.load(getChargesBreakdownCsv, args) : '';
  return { content, url: exportUrlOf(args) };
};

const resultsSite = siteOf('ChargesBreakdown.results', 'results');

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

type Rows = readonly (ChargesBreakdownResultRecord | null)[];

// By the list of a report, which is kept as long as the report is.
const totalsOfReports = new WeakMap<Rows, Promise<ChargesBreakdownTotalsParent>>();

function keptTotalsOf(rows: Rows): Promise<ChargesBreakdownTotalsParent> {
  const totals = totalsOfReports.get(rows) ?? totalsOf(rows);
  totalsOfReports.set(rows, totals);
  return totals;
}

const chargesBreakdownResultFields = {
  /** Added up once for a request, however often it is selected. */
  cost(record: ChargesBreakdownResultRecord, _args: object, { costs }: Context) {
    const cost = costs().get(record) ?? costOf(record);
    costs().set(record, cost);
    return cost;
  },
};

async function costOf(record: ChargesBreakdownResultRecord): Promise<string | null> {
  const slices = new WorkSlices();
  // All numbers of a page are asked for at once.
  while (slices.isOverNow()) await slices.rest();
  return shown((await costSumOf(record, slices)).cost);
}

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

/** A report is one call. It is held as a whole, however little of it is selected. */
const reportAs =
  (form: 'json' | 'csv'): CostOfArguments =>
  ({ startDate, endDate }, { reportWeight: weight = 0 }) =>
    sum([someCalls(1), aBody(`report ${form} ${String(startDate)} ${String(endDate)}`, weight)]);

const costField = { cost: ({ cost }: { readonly cost: Cost }) => shown(cost) };

export const resource = {
  records: [getChargesBreakdown],
  fields: {
    Query: { chargesBreakdown, chargesBreakdownCsv },
    ChargesBreakdown: chargesBreakdownFields,
    ChargesBreakdownResult: chargesBreakdownResultFields,
    ChargesBreakdownTotals: {
      ...costField,
      byCostType: ({ byCostType }: ChargesBreakdownTotalsParent) => shown(byCostType),
      byServiceOwner: ({ byServiceOwner }: ChargesBreakdownTotalsParent) => shown(byServiceOwner),
    },
    CostTypeTotal: costField,
    ServiceOwnerTotal: costField,
  },
  costs: {
    'Query.chargesBreakdown': reportAs('json'),
    'Query.chargesBreakdownCsv': reportAs('csv'),
    'ChargesBreakdown.results': (args) => (selectionKey(args) === '' ? nothing : someObjects(reportPasses.filtered)),
    'ChargesBreakdown.totals': someObjects(reportPasses.addedUp),
  },
} satisfies Resource;
