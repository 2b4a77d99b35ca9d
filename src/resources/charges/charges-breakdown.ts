import { Big } from 'big.js';
import { checkReportDates, type ReportDates } from '../../billing/date-interval.ts';
import { GatewayError } from '../../errors.ts';
import type {
  ChargesBreakdownRecord,
  ChargesBreakdownResultRecord,
  ChargesBreakdownTotalsRecord,
} from '../../generated/records.ts';
import type {
  ChargesBreakdownResultFilter,
  ChargesBreakdownResultOrder,
  ChargesBreakdownResultsArgs,
  ChargesBreakdownTotalsArgs,
  QueryResolvers,
} from '../../generated/schema.ts';
import { createSelectionCheck } from '../../graphql/document.ts';
import { checkedList, siteOf } from '../../graphql/schema/checked-value.ts';
import { isJsonObject } from '../../json.ts';
import { aBody, nothing, someCalls, someObjects, sum, type CostOfArguments } from '../../limits/field-cost.ts';
import { connectionOf } from '../../paging/connection.ts';
import { decodeCursor } from '../../paging/cursor.ts';
import { sourceOfRows } from '../../paging/source.ts';
import { readWindow } from '../../paging/window-reading.ts';
import { windowOf } from '../../paging/window.ts';
import type { Endpoint } from '../../upstream/endpoint.ts';
import { readObject } from '../../upstream/response/envelope.ts';
import { isSliceOver, WorkSlices } from '../../time-slices.ts';
import type { Resource } from '../resource.ts';
import { costSumOf, totalsOf } from './breakdown-totals.ts';
import { reportPeriod } from './charges-summary.ts';

type Row = ChargesBreakdownResultRecord | null;
type Rows = readonly Row[];

/** Objects that a pass through a report counts as in the cost of an operation, because it takes as long as they do. */
export const reportPasses = { filtered: 200, addedUp: 1_000 } as const;

/** REST contract, "GET /charges_breakdown": the charges of at most 31 days, number by number. */
export const getChargesBreakdown: Endpoint<ChargesBreakdownRecord> = {
  name: 'GET /charges_breakdown',
  coordinate: 'Query.chargesBreakdown',
  path: '/charges_breakdown',
  accept: 'application/json',
  parameters: reportPeriod,
  constants: { format: 'json' },
  read: readObject,
  repeated: reportPeriod,
  isPagedHere: true,
};

/** The same report as CSV text, whose columns the contract does not show. */
export const getChargesBreakdownCsv: Endpoint<string> = {
  name: getChargesBreakdown.name,
  coordinate: 'Query.chargesBreakdownCsv',
  path: getChargesBreakdown.path,
  accept: 'text/csv',
  parameters: reportPeriod,
  constants: { format: 'csv' },
  read: String,
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
    const rows = checkedList(report.results, resultsSite);
    if (rows === null) return null;
    // They have not been checked, so they may be of any type.
    const owner = JSON.stringify([report.user_id, report.start_date, report.end_date]);
    const selection = selectionKey(args);
    const list = `results ${owner}${selection}`;
    const window = windowOf(args, (cursor) => decodeCursor(list, cursor));
    const source = sourceOfRows(selection === '' ? rows : await selectRows(rows, args), {
      identityOf: numberOf,
      momentOf: () => null,
    });
    const origin = { list: () => list, newest: () => null };
    return connectionOf(await readWindow(window, source, 1), origin);
  },
  async totals(report: ChargesBreakdownRecord, { filter }: Partial<ChargesBreakdownTotalsArgs>) {
    const rows = checkedList(report.results, resultsSite);
    if (rows === null) return null;
    const isWhole = selectionKey({ filter }) === '';
    return isWhole ? totalsOfReports.getOrInsertComputed(rows, totalsOf) : totalsOf(await selectRows(rows, { filter }));
  },
};

// By the list of a report, which is kept as long as the report is.
const totalsOfReports = new WeakMap<Rows, Promise<ChargesBreakdownTotalsRecord>>();

// By the records of a report: added up once, however often it is selected.
const costs = new WeakMap<ChargesBreakdownResultRecord, Promise<string | null>>();

async function costOf(record: ChargesBreakdownResultRecord): Promise<string | null> {
  const slices = new WorkSlices();
  // All numbers of a page are asked for at once.
  while (isSliceOver()) await slices.rest();
  const { cost } = await costSumOf(record, slices);
  if (cost instanceof Error) throw cost;
  return cost;
}

function numberOf(row: Row): string | null {
  return typeof row?.tn === 'string' ? row.tn : null;
}

function exportUrlOf({ startDate, endDate }: ReportDates): string {
  const query = new URLSearchParams({ startDate, ...(endDate != null && { endDate }) });
  return `/exports/charges-breakdown.csv?${query}`;
}

/** Digits of costs that a sort remembers: sixteen megabytes. The costs of an honest report of any size have fewer. */
export const sortedDigits = 2_000_000;

/** Which rows of a report are listed, and in which order. */
interface ResultSelection {
  readonly filter?: ChargesBreakdownResultFilter | null | undefined;
  readonly orderBy?: ChargesBreakdownResultOrder | null | undefined;
}

/** The texts that a filter wants; null where it says nothing of one. */
function wantedOf(
  filter: ResultSelection['filter'],
): Readonly<Record<keyof ChargesBreakdownResultFilter, string | null>> {
  return {
    tn: filter?.tn?.contains || null,
    chargeType: filter?.chargeType?.eq || null,
    serviceOwnerEmail: filter?.serviceOwnerEmail?.eq || null,
  };
}

/** A text that is the same for selections of the same rows in the same order; empty for all rows in the order of the report. */
function selectionKey({ filter, orderBy }: ResultSelection): string {
  const parts = [...Object.values(wantedOf(filter)), orderBy?.field ?? null, orderBy?.direction ?? null];
  return parts.every((part) => part === null) ? '' : JSON.stringify(parts);
}

/** The rows of a report that a selection has. Rows in which a wanted text is missing or no text do not match it. */
export async function selectRows(rows: Rows, { filter, orderBy }: ResultSelection): Promise<Rows> {
  const ordered = orderBy == null ? rows : await inOrder(rows, orderBy);
  if (selectionKey({ filter }) === '') return ordered;
  const { tn, chargeType, serviceOwnerEmail } = wantedOf(filter);
  const matches = (row: ChargesBreakdownResultRecord): boolean =>
    (tn === null || numberOf(row)?.includes(tn) === true) &&
    (chargeType === null || row.charge_type === chargeType) &&
    (serviceOwnerEmail === null || row.service_owner_email === serviceOwnerEmail);
  const selected: Row[] = [];
  await new WorkSlices().each(ordered, (row) => {
    if (isJsonObject(row) && matches(row)) selected.push(row);
  });
  return selected;
}

// By the list of a report, which is kept as long as the report is: a sorted list takes eight bytes for each row.
const sortedReports = new WeakMap<Rows, Map<string, Promise<Rows>>>();

/**
 * The rows of a report in an order. Rows of equal values stay in the order of the report, and those whose value is not known come
 * last, whatever the direction. Throws QUERY_TOO_COMPLEX where costs have so many digits that they cannot be sorted.
 */
function inOrder(rows: Rows, order: ChargesBreakdownResultOrder): Promise<Rows> {
  const orders = sortedReports.getOrInsertComputed(rows, () => new Map());
  return orders.getOrInsertComputed(`${order.field} ${order.direction}`, () => sort(rows, order));
}

async function sort(rows: Rows, { field, direction }: ChargesBreakdownResultOrder): Promise<Rows> {
  const slices = new WorkSlices();
  const keys: Key[] = [];
  const [known, unknown]: [number[], number[]] = [[], []];
  let digits = 0;
  for (const [index, row] of rows.entries()) {
    if (slices.isOver()) await slices.rest();
    const key = field === 'TN' ? numberOf(row) : (await costSumOf(row, slices)).known;
    if (key instanceof Big) digits += key.c.length;
    if (digits > sortedDigits) throw tooManyDigits(digits);
    keys.push(key);
    (key === null ? unknown : known).push(index);
  }
  const sign = direction === 'DESC' ? -1 : 1;
  const sorted = await sortIndexes(
    known,
    (left, right) => sign * compareKeys(keys[left] ?? null, keys[right] ?? null),
    slices,
  );
  return [...sorted, ...unknown].map((index) => rows[index] as Row);
}

/** What a row is sorted by, its number or its cost; null where that is not known. */
type Key = string | Big | null;

function compareKeys(left: Key, right: Key): number {
  if (left instanceof Big && right instanceof Big) return left.cmp(right);
  return left === right ? 0 : String(left) < String(right) ? -1 : 1;
}

function tooManyDigits(actual: number): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `The costs of this report have more than ${sortedDigits} digits together, and cannot be sorted. Leave orderBy out.`,
    excess: { limit: sortedDigits, actual },
  });
}

// As many are sorted at a stretch.
const runLength = 32;

/** Sorts indexes in slices. Those that compare as 0 keep their order. */
async function sortIndexes(
  indexes: readonly number[],
  compare: (left: number, right: number) => number,
  slices: WorkSlices,
): Promise<readonly number[]> {
  if (indexes.length <= runLength) return indexes.toSorted(compare);
  const middle = indexes.length >> 1;
  const left = await sortIndexes(indexes.slice(0, middle), compare, slices);
  const right = await sortIndexes(indexes.slice(middle), compare, slices);
  const merged: number[] = [];
  for (let [one, other] = [0, 0]; merged.length < indexes.length;) {
    if (slices.isOver()) await slices.rest();
    const isLeft =
      other === right.length || (one < left.length && compare(left[one] as number, right[other] as number) <= 0);
    merged.push((isLeft ? left[one++] : right[other++]) as number);
  }
  return merged;
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
    ChargesBreakdownResult: {
      cost: (record: ChargesBreakdownResultRecord) => costs.getOrInsertComputed(record, costOf),
    },
  },
  costs: {
    'Query.chargesBreakdown': reportAs('json'),
    'Query.chargesBreakdownCsv': reportAs('csv'),
    'ChargesBreakdown.results': (args) => (selectionKey(args) === '' ? nothing : someObjects(reportPasses.filtered)),
    'ChargesBreakdown.totals': someObjects(reportPasses.addedUp),
  },
} satisfies Resource;
