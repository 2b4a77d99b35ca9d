import { monthOf, monthsBefore, monthsOf, type DateInterval } from '../../billing/date-interval.ts';
import { inOrder, largestFirst, medianOf, summandOf, sumOf } from '../../billing/decimal.ts';
import { historyMonths, largestPageSize } from '../../bounds.ts';
import { badArgument } from '../../errors.ts';
import type {
  ChargesHistoryByServiceRecord,
  ChargesMonthRecord,
  ChargesSummaryRecord,
  ServiceHistoryRecord,
} from '../../generated/records.ts';
import type {
  ChargesHistoryByServiceServicesArgs,
  QueryResolvers,
  ServiceHistoryOrder,
} from '../../generated/schema.ts';
import type { Context } from '../../graphql/context.ts';
import { someCalls } from '../../limits/field-cost.ts';
import type { Loaders } from '../../lists/loaders.ts';
import type { Resource } from '../resource.ts';
import {
  costsIn,
  currenciesOf,
  grandTotalOf,
  oneCurrencyOf,
  summaryOf,
  valueOrError,
  type Amount,
  type ServiceCost,
} from './charges-summary.ts';

/** One summary for each month, loaded side by side. A month that fails is an error in its own place. */
const chargesHistory: QueryResolvers['chargesHistory'] = (_root, args, { loaders }) =>
  monthsOf(args).map((month) => summaryOf(month, loaders, args));

/** The months alone. Their summaries are loaded by the fields that are selected of them. */
const chargesHistoryByService: QueryResolvers['chargesHistoryByService'] = (_root, args) => ({
  months: monthsOf(args).map(({ startDate, endDate }) => ({ start_date: startDate, end_date: endDate })),
});

function periodOf(month: ChargesMonthRecord): DateInterval {
  return { startDate: month.start_date, endDate: month.end_date };
}

type Summaries = readonly PromiseSettledResult<ChargesSummaryRecord>[];

function summariesOf({ months }: ChargesHistoryByServiceRecord, loaders: Loaders): Promise<Summaries> {
  return Promise.allSettled(months.map((month) => summaryOf(periodOf(month), loaders)));
}

/** The summaries that could be read. Throws the error of the first month where there is none. */
function readOf(summaries: Summaries): readonly ChargesSummaryRecord[] {
  const read = summaries.flatMap((summary) => (summary.status === 'fulfilled' ? [summary.value] : []));
  const [first] = summaries;
  if (read.length === 0 && first?.status === 'rejected') throw first.reason;
  return read;
}

/** The currency of all amounts; null where the months differ. Throws where no month could be read. */
function currencyOf(summaries: Summaries): string | null {
  const [currency = null, ...others] = currenciesOf(readOf(summaries));
  return others.length === 0 ? currency : null;
}

/** The services of a month by alias, or the error for which they are not known. */
type Month = ReadonlyMap<string, ServiceCost> | Error;

/** What a service costs in each month. An amount that is not known is the error in its place. */
interface History<Each = Amount> {
  readonly alias: string;
  readonly name: string;
  readonly amounts: readonly Each[];
}

/**
 * The services of some months. The error of a month that is not known is reported once, at the first service that is shown. Throws where
 * no month could be read, and where one could not be read and there is no service to report it at.
 */
function servicesOf(summaries: Summaries, first: number | null, orderBy: ServiceHistoryOrder) {
  const months = summaries.map((summary): Month =>
    summary.status === 'rejected' ? (summary.reason as Error) : valueOrError(() => costsIn(summary.value)),
  );
  const known = months.flatMap((month) => (month instanceof Error ? [] : [month]));
  const names = new Map(known.flatMap((month) => [...month.values()].map(({ alias, name }) => [alias, name])));
  const failure = months.find((month) => month instanceof Error);
  if (names.size === 0 && failure !== undefined) throw failure;
  const currency = valueOrError(() => currencyOf(summaries));
  const rows = [...names].map(([alias, name]): History => ({
    alias,
    name,
    amounts: months.map((month) => (month instanceof Error ? month : (month.get(alias)?.amount ?? '0'))),
  }));
  // Amounts of several currencies have no order.
  const isOrdered = orderBy !== 'TOTAL' || typeof currency === 'string';
  return (isOrdered ? orders[orderBy](rows) : rows).slice(0, first ?? rows.length).map((row, index) => {
    const isTold = (amount: Amount, at: number): boolean => index > 0 && amount === months[at];
    return shown({ ...row, amounts: row.amounts.map((amount, at) => (isTold(amount, at) ? null : amount)) }, currency);
  });
}

/** A service with its total: null where the months have several currencies, and where an error is reported at another service. */
function shown(row: History<Amount | null>, currency: string | Error | null): ServiceHistoryRecord {
  const { amounts } = row;
  return {
    ...row,
    // Their field fails an item at its own path.
    amounts: amounts as ServiceHistoryRecord['amounts'],
    get total() {
      if (amounts.includes(null) || currency === null) return null;
      if (currency instanceof Error) throw currency;
      return totalOf(amounts as readonly Amount[]);
    },
  };
}

/** The exact sum of some amounts; throws the first error among them. */
function totalOf(amounts: readonly Amount[]): string {
  const failure = amounts.find((amount) => amount instanceof Error);
  if (failure !== undefined) throw failure;
  return sumOf(amounts as readonly string[], 'ServiceHistory.total');
}

const orders: Readonly<Record<ServiceHistoryOrder, (rows: readonly History[]) => readonly History[]>> = {
  FIRST_SEEN: (rows) => rows,
  // UTF-8 has the order of code points; `<` compares halves of some.
  NAME: (rows) => rows.toSorted((a, b) => Buffer.from(a.name).compare(Buffer.from(b.name))),
  // What has no total, because an amount is not known, comes last.
  TOTAL: (rows) =>
    largestFirst(rows, ({ amounts }) => {
      const total = valueOrError(() => summandOf(totalOf(amounts), 'ServiceHistory.total').value);
      return total instanceof Error ? null : total;
    }),
};

/** Months of a forecast without `months`, or with null for it. */
const usualMonths = 6;
const expected = 'ChargesForecast.expected';

/** Looks at the last complete months before a month. One that fails fails all: of the others another median would come. */
const chargesForecast: QueryResolvers['chargesForecast'] = async (_root, args, { loaders, now }) => {
  const count = args.months ?? usualMonths;
  if (count < 1 || count > historyMonths) throw badArgument(['months'], `months must be from 1 to ${historyMonths}.`);
  const { startDate, endDate } = monthOf(args.month);
  const looked = monthsBefore({ startDate, endDate }, count, new Date(now()).toISOString().slice(0, 10));
  const [oldest, newest] = [looked[0], looked.at(-1)];
  if (oldest === undefined || newest === undefined)
    throw badArgument(['month'], 'month must have a complete month before it.');
  const summaries = await Promise.all(looked.map((month) => summaryOf(month, loaders)));
  const totals = inOrder(summaries.map(grandTotalOf), expected);
  const period = { startDate: oldest.startDate, endDate: newest.endDate };
  return {
    start_date: startDate,
    end_date: endDate,
    currency: oneCurrencyOf(summaries, period, 'which have no median'),
    expected: medianOf(totals, expected),
    low: totals[0] ?? '',
    high: totals.at(-1) ?? '',
    months: totals.length,
  };
};

export const resource = {
  fields: {
    Query: { chargesHistory, chargesHistoryByService, chargesForecast },
    ChargesHistoryByService: {
      currency: async (history: ChargesHistoryByServiceRecord, _args: object, { loaders }: Context) =>
        currencyOf(await summariesOf(history, loaders)),
      async grandTotal(history: ChargesHistoryByServiceRecord, _args: object, { loaders }: Context) {
        const summaries = await Promise.all(history.months.map((month) => summaryOf(periodOf(month), loaders)));
        if (currenciesOf(summaries).length > 1) return null;
        return sumOf(summaries.map(grandTotalOf), 'ChargesHistoryByService.grandTotal');
      },
      async services(
        history: ChargesHistoryByServiceRecord,
        { first = null, orderBy }: Partial<ChargesHistoryByServiceServicesArgs>,
        { loaders }: Context,
      ) {
        if (first !== null && (first < 0 || first > largestPageSize))
          throw badArgument(['first'], `first must be from 0 to ${largestPageSize}; it was ${first}.`);
        return servicesOf(await summariesOf(history, loaders), first, orderBy ?? 'FIRST_SEEN');
      },
    },
    ChargesMonth: {
      summary: (month: ChargesMonthRecord, _args: object, { loaders }: Context) => summaryOf(periodOf(month), loaders),
    },
    // An item may be null without an error of its own.
    ServiceHistory: { amounts: ({ amounts }: ServiceHistoryRecord) => amounts },
  },
  costs: {
    'Query.chargesHistory': (_args, _options, items) => someCalls(items),
    // A range that begins within a month touches one more than it is long.
    'Query.chargesHistoryByService': someCalls(historyMonths + 1),
    'Query.chargesForecast': ({ months }) =>
      someCalls(typeof months === 'number' ? Math.min(Math.max(1, months), historyMonths) : usualMonths),
  },
} satisfies Resource;
