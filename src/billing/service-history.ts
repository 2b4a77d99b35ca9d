import { GraphQLNonNull, GraphQLString } from 'graphql';
import type { ServiceHistoryOrder } from '../generated/schema.ts';
import type {
  ChargesSummaryRecord,
  ServiceChangeParent,
  ServiceHistoryParent,
  SummaryLineRecord,
} from '../resources/charges-summary.ts';
import { differenceOf, sumOf, summandOf } from './decimal.ts';
import { amountsOf } from './summary-line.ts';
import { recordOf, requiredListOf, siteOf } from '../graphql/schema/checked-value.ts';
import { fieldReader } from '../graphql/schema/wire-fields.ts';

interface ServiceCost {
  readonly alias: string;
  readonly name: string;
  readonly amount: string | Error;
}

/** The amounts of which the lines of a service in one month consist, line by line. */
interface ServiceLines {
  readonly name: string;
  readonly amounts: (readonly string[] | Error)[];
}

/** The services of a month by alias, or the error for which they are not known. */
type Month = ReadonlyMap<string, ServiceCost> | Error;

/** Which services of a history are shown, and in which order. */
interface ServiceChoice {
  /** Null: all of them. */
  readonly first: number | null;
  readonly orderBy: ServiceHistoryOrder;
}

/**
 * The services of some months. A line without the name of its service fails its month, because it may belong to any service. That error
 * is reported once, at the first service that is shown. Any other line that cannot be read fails one amount. Throws where no month
 * could be read, and where one could not be read and there is no service to report it at.
 */
export function servicesOf(
  summaries: readonly PromiseSettledResult<ChargesSummaryRecord>[],
  { first, orderBy }: ServiceChoice,
): readonly ServiceHistoryParent[] {
  const months = summaries.map(monthOf);
  const known = months.flatMap((month) => (month instanceof Error ? [] : [month]));
  const names = new Map(known.flatMap((month) => [...month.values()].map(({ alias, name }) => [alias, name])));
  const failure = months.find((month) => month instanceof Error);
  if (names.size === 0 && failure !== undefined) throw failure;
  const currency = valueOrError(() => currencyOf(summaries));
  const rows = [...names].map(([alias, name]): History => ({
    alias,
    name,
    currency,
    amounts: months.map((month) => (month instanceof Error ? month : (month.get(alias)?.amount ?? '0'))),
  }));
  // Amounts of several currencies have no order.
  const sorted = orders[typeof currency === 'string' ? orderBy : withoutTotals[orderBy]](rows);
  return sorted
    .slice(0, first ?? sorted.length)
    .map((row, index) =>
      index === 0 ? row : { ...row, amounts: row.amounts.map((amount, at) => (amount === months[at] ? null : amount)) },
    );
}

interface History extends ServiceHistoryParent {
  readonly amounts: readonly Amount[];
}

const withoutTotals = { FIRST_SEEN: 'FIRST_SEEN', NAME: 'NAME', TOTAL: 'FIRST_SEEN' } as const;

const orders: Readonly<Record<ServiceHistoryOrder, (rows: readonly History[]) => readonly History[]>> = {
  FIRST_SEEN: (rows) => rows,
  NAME: (rows) => rows.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name))),
  // What has no total, because an amount is not known, comes last.
  TOTAL(rows) {
    const sized = rows.map((row) => {
      const total = totalOf(row.amounts);
      return { row, isKnown: !(total instanceof Error), size: sizeOf(total instanceof Error ? null : total, false) };
    });
    return sized.sort((a, b) => Number(b.isKnown) - Number(a.isKnown) || b.size.cmp(a.size)).map(({ row }) => row);
  },
};

/** The exact sum of some amounts, or the first error among them. */
function totalOf(amounts: readonly Amount[]): Amount {
  const known = amounts.filter((amount) => typeof amount === 'string');
  const failure = amounts.find((amount) => typeof amount !== 'string');
  return failure ?? valueOrError(() => sumOf(known, 'ServiceHistory.total'));
}

/**
 * What a service costs in all months together. Null where these have several currencies, and where the error of a month is reported at
 * another service; throws that of an amount that is not known.
 */
export function totalOfService({ amounts, currency }: ServiceHistoryParent): string | null {
  if (amounts.includes(null) || currency === null) return null;
  if (currency instanceof Error) throw currency;
  const total = totalOf(amounts as readonly Amount[]);
  if (total instanceof Error) throw total;
  return total;
}

/**
 * How each service of two periods has changed, the largest difference first, and those that are not known last. An amount that cannot be
 * read is the error in its place. Throws where a period cannot be read.
 */
export function changesBetween(
  previous: ChargesSummaryRecord,
  current: ChargesSummaryRecord,
): readonly ServiceChangeParent[] {
  const [before, now] = [costsIn(previous), costsIn(current)];
  const changes = [...new Map([...before, ...now]).values()].map(({ alias, name }) => {
    const [amount, previousAmount] = [now, before].map((period) => period.get(alias)?.amount ?? '0') as [
      Amount,
      Amount,
    ];
    return { alias, name, amount, previousAmount, change: changeOf(amount, previousAmount) };
  });
  const sized = changes.map((each) => ({ each, size: sizeOf(each.change) }));
  return sized.sort((a, b) => b.size.cmp(a.size)).map(({ each }) => each);
}

type Amount = string | Error;

const changeCoordinate = 'ServiceChange.change';

function changeOf(amount: Amount, previousAmount: Amount): string | null {
  if (amount instanceof Error || previousAmount instanceof Error) return null;
  return differenceOf(amount, previousAmount, changeCoordinate);
}

/** The size of an amount, without its sign where that does not matter. */
function sizeOf(amount: string | null, isAbsolute = true) {
  if (amount === null) return unknownSize;
  const { value } = summandOf(amount, changeCoordinate);
  return isAbsolute ? value.abs() : value;
}

/** The currency of all amounts; null where the months differ. Throws where no month could be read. */
export function currencyOf(summaries: readonly PromiseSettledResult<ChargesSummaryRecord>[]): string | null {
  const read = summaries.flatMap((summary) => (summary.status === 'fulfilled' ? [summary.value] : []));
  const [first] = summaries;
  if (read.length === 0 && first?.status === 'rejected') throw first.reason;
  const [currency = null, ...others] = new Set(read.map((summary) => readCurrency(summary)));
  return others.length === 0 ? currency : null;
}

function monthOf(summary: PromiseSettledResult<ChargesSummaryRecord>): Month {
  if (summary.status === 'rejected') return summary.reason as Error;
  return valueOrError(() => costsIn(summary.value));
}

function costsIn(report: ChargesSummaryRecord): ReadonlyMap<string, ServiceCost> {
  const services = new Map<string, ServiceLines>();
  const summary = recordOf(report.summary, summarySite, report);
  const lines = requiredListOf(summary.lines, linesSite, summary);
  for (const [index, line] of lines.entries()) {
    const record = recordOf(line, lineSite, lines, index) as SummaryLineRecord;
    const [alias, name] = [readAlias(record) ?? '', readName(record) ?? ''];
    const amounts = services.get(alias)?.amounts ?? [];
    amounts.push(valueOrError(() => amountsOf(record)));
    services.set(alias, { name, amounts });
  }
  return new Map(
    [...services].map(([alias, { name, amounts }]) => [alias, { alias, name, amount: together(amounts) }]),
  );
}

// Behind all sizes there are.
const unknownSize = summandOf('-1', changeCoordinate).value;

const requiredText = new GraphQLNonNull(GraphQLString);
const summarySite = siteOf('ChargesSummary.summary', 'summary');
const linesSite = siteOf('Summary.lines', 'lines');
const lineSite = siteOf('Summary.lines', 'an item of lines');
const readAlias = fieldReader<string>(siteOf('ServiceLine.alias', 'alias'), requiredText);
const readName = fieldReader<string>(siteOf('ServiceLine.name', 'name'), requiredText);
const readCurrency = fieldReader<string>(siteOf('ChargesSummary.currency', 'currency'), requiredText);

/** A service may have several lines, which are added up at once: a sum of sums would make a number for each line. */
function together(lines: ServiceLines['amounts']): string | Error {
  const failure = lines.find((amounts) => amounts instanceof Error);
  if (failure !== undefined) return failure;
  const amounts = lines.flatMap((each) => (each instanceof Error ? [] : each));
  const [only = ''] = amounts;
  // A single amount stays as it was sent.
  return amounts.length === 1 ? only : valueOrError(() => sumOf(amounts, 'ServiceHistory.amounts'));
}

function valueOrError<Value>(read: () => Value): Value | Error {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
}
