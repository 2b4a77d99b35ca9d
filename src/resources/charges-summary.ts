import { GraphQLNonNull, GraphQLString } from 'graphql';
import {
  checkDateInterval,
  intervalBefore,
  isMonthOver,
  monthsOf,
  repeatedPeriod,
  type DateInterval,
} from '../billing/date-interval.ts';
import { sumOf } from '../billing/decimal.ts';
import { changesBetween, currencyOf, servicesOf, totalOfService } from '../billing/service-history.ts';
import { comparativeAmountOf, lineTypeOf } from '../billing/summary-line.ts';
import { historyMonths, largestPageSize } from '../bounds.ts';
import { badArgument, GatewayError, GatewayErrors, gatewayErrorsOf } from '../errors.ts';
import type { ChargesHistoryByServiceServicesArgs, QueryResolvers } from '../generated/schema.ts';
import type { Context } from '../graphql/context.ts';
import { recordOf, siteOf } from '../graphql/schema/checked-value.ts';
import { scalars } from '../graphql/schema/scalars.ts';
import { fieldReader } from '../graphql/schema/wire-fields.ts';
import { someCalls } from '../limits/field-cost.ts';
import type { Loaders } from '../lists/loaders.ts';
import type { Endpoint } from '../upstream/endpoint.ts';
import { readObject } from '../upstream/response/body-reader.ts';
import type { Resource } from './resource.ts';

/** The charges of an account for one period. REST contract, 'Charges summary'. */
export interface ChargesSummaryRecord {
  readonly user_id: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly user_email: string;
  readonly currency: string;
  readonly summary: SummaryRecord;
  readonly total: TotalSummaryRecord;
}

/** What the totals are made of. REST contract, 'Charges summary', Summary. */
export interface SummaryRecord {
  readonly lines: readonly (SummaryLineRecord | null)[];
  readonly adjustments: readonly (AdjustmentLineRecord | null)[];
}

/** One service's charges, told apart by `type`. REST contract, 'Charges summary', SummaryLine. */
export type SummaryLineRecord = ComparativeLineRecord | SimpleLineRecord;

/** New charges beside existing ones. REST contract, 'Charges summary', ComparativeLine. */
export interface ComparativeLineRecord {
  readonly type: 'comparative';
  readonly name: string;
  readonly alias: string;
  readonly new_this_month: MonthDetailRecord;
  readonly existing_this_month: MonthDetailRecord;
}

/** Quantity and one amount. REST contract, 'Charges summary', SimpleLine. */
export interface SimpleLineRecord {
  readonly type: 'simple';
  readonly name: string;
  readonly alias: string;
  readonly quantity: number;
  readonly amount: string;
}

/** Charges as decimal strings; `otc` null or absent means no one-time charge. REST contract, 'Charges summary', MonthDetail. */
export interface MonthDetailRecord {
  readonly quantity: number;
  readonly mrc: string;
  readonly otc?: string | null;
}

/** One correction; its amount may be negative. REST contract, 'Charges summary', AdjustmentLine. */
export interface AdjustmentLineRecord {
  readonly amount: string;
  readonly description: string;
  readonly event_date: string;
}

/** Totals as decimal strings. REST contract, 'Charges summary', TotalSummary. */
export interface TotalSummaryRecord {
  readonly new_mrc: string;
  readonly new_otc: string;
  readonly existing_mrc: string;
  readonly other: string;
  readonly credits: string;
  readonly ledger_adjustments: string;
  readonly grand_total: string;
}

/** REST contract, "GET /charges_summary": the charges of at most 31 days. */
export const getChargesSummary: Endpoint<ChargesSummaryRecord> = {
  name: 'GET /charges_summary',
  coordinate: 'Query.chargesSummary',
  path: '/charges_summary',
  accept: 'application/json',
  parameters: [
    { argument: ['startDate'], name: 'start_date' },
    { argument: ['endDate'], name: 'end_date' },
  ],
  read: readObject,
  repeated: repeatedPeriod,
  // The upstream bills by days of UTC.
  isFinal: (args, now) => isMonthOver(args as unknown as DateInterval, new Date(now).toISOString().slice(0, 10)),
};

const chargesSummary: QueryResolvers['chargesSummary'] = (_root, args, { loaders }) => {
  checkDateInterval(args.startDate, args.endDate);
  return loaders.load(getChargesSummary, args);
};

const requiredDate = new GraphQLNonNull(scalars.Date);
const readStart = fieldReader<string>(siteOf('ChargesSummary.startDate', 'start_date'), requiredDate);
const readEnd = fieldReader<string>(siteOf('ChargesSummary.endDate', 'end_date'), requiredDate);

const chargesSummaryFields = {
  previous: (record: ChargesSummaryRecord, _args: object, { loaders }: Context) => previousOf(record, loaders),
  // The upstream bills by days of UTC.
  isComplete: (record: ChargesSummaryRecord, _args: object, { now }: Context) =>
    Date.parse(readEnd(record) ?? '') <= now(),
  changes: (record: ChargesSummaryRecord, _args: object, { loaders }: Context) => changesOf(record, loaders),
};

/** The summary of the period before that of another one. */
async function previousOf(record: ChargesSummaryRecord, loaders: Loaders): Promise<ChargesSummaryRecord | null> {
  const interval = intervalBefore({ startDate: readStart(record) ?? '', endDate: readEnd(record) ?? '' });
  if (interval === null) return null;
  try {
    return await loaders.load(getChargesSummary, { ...interval }, undefined, {
      ownArguments: [['startDate'], ['endDate']],
    });
  } catch (error) {
    throw ofPeriodBefore(error, interval);
  }
}

/** A failure of the period before, whose message names the period: nobody has asked for it by its dates. */
function ofPeriodBefore(error: unknown, { startDate, endDate }: DateInterval): GatewayErrors {
  const reworded = gatewayErrorsOf(error).map((each) =>
    each.code === 'INTERNAL_SERVER_ERROR'
      ? each
      : each.withMessage(`The period before, ${startDate} to ${endDate}: ${each.message}`),
  );
  return new GatewayErrors(reworded, error instanceof GatewayErrors ? error.more : 0);
}

/** How the services have changed since the period before; null where there is none. */
function changesOf(record: ChargesSummaryRecord, loaders: Loaders): Promise<readonly ServiceChangeParent[] | null> {
  return loaders.once(`changes ${record.start_date} ${record.end_date}`, async () => {
    const previous = await previousOf(record, loaders);
    if (previous === null) return null;
    const period = { startDate: previous.start_date, endDate: record.end_date };
    oneCurrencyOf([previous, record], period, 'so that they cannot be compared');
    return changesBetween(previous, record);
  });
}

/** Throws the error that stands in an amount's place. */
function known(amount: string | Error): string {
  if (amount instanceof Error) throw amount;
  return amount;
}

/** The months of a range, for which no call has been made yet. */
export interface ChargesHistoryByServiceParent {
  readonly months: readonly DateInterval[];
}

/** How one service has changed. An amount that is not known is the error in its place. */
export interface ServiceChangeParent {
  readonly alias: string;
  readonly name: string;
  readonly amount: string | Error;
  readonly previousAmount: string | Error;
  /** Null where an amount is not known. */
  readonly change: string | null;
}

/** A month of a history: its interval, for which no call has been made yet. */
export type ChargesMonthParent = DateInterval;

/**
 * What one service costs, month by month. An amount that is not known is the error in its place, or null where that error is
 * reported at another service.
 */
export interface ServiceHistoryParent {
  readonly alias: string;
  readonly name: string;
  /** Of all months; null where they differ, the error where it is not known. */
  readonly currency: string | Error | null;
  readonly amounts: readonly (string | Error | null)[];
}

/** One summary for each month, loaded side by side. A month that fails is an error in its own place. */
const chargesHistory: QueryResolvers['chargesHistory'] = (_root, args, { loaders }) =>
  monthsOf(args).map((month) => summaryOf(month, loaders, args));

/** The months alone. Their summaries are loaded by the fields that are selected of them. */
const chargesHistoryByService: QueryResolvers['chargesHistoryByService'] = (_root, args) => ({
  months: monthsOf(args),
});

const chargesHistoryByServiceFields = {
  currency: async ({ months }: ChargesHistoryByServiceParent, _args: object, { loaders }: Context) =>
    currencyOf(await summariesOf(months, loaders)),
  async grandTotal({ months }: ChargesHistoryByServiceParent, _args: object, { loaders }: Context) {
    const summaries = await Promise.all(months.map((month) => summaryOf(month, loaders)));
    const settled = await summariesOf(months, loaders);
    return currencyOf(settled) === null
      ? null
      : sumOf(summaries.map(grandTotalOf), 'ChargesHistoryByService.grandTotal');
  },
  async services(
    { months }: ChargesHistoryByServiceParent,
    { first = null, orderBy }: Partial<ChargesHistoryByServiceServicesArgs>,
    { loaders }: Context,
  ) {
    if (first !== null && (first < 0 || first > largestPageSize))
      throw badArgument(['first'], `first must be from 0 to ${largestPageSize}; it was ${first}.`);
    return servicesOf(await summariesOf(months, loaders), { first, orderBy: orderBy ?? 'FIRST_SEEN' });
  },
};

function summariesOf(months: readonly DateInterval[], loaders: Loaders) {
  return Promise.allSettled(months.map((month) => summaryOf(month, loaders)));
}

const dates = ['startDate', 'endDate'] as const;

const totalSite = siteOf('ChargesSummary.total', 'total');
const readGrandTotal = fieldReader<string>(
  siteOf('TotalSummary.grandTotal', 'grand_total'),
  new GraphQLNonNull(scalars.Decimal),
);

/** The grand total of a summary. Throws UPSTREAM_BAD_RESPONSE where it has none. */
export function grandTotalOf(summary: ChargesSummaryRecord): string {
  return readGrandTotal(recordOf(summary.total, totalSite, summary)) ?? '';
}

const readCurrency = fieldReader<string>(
  siteOf('ChargesSummary.currency', 'currency'),
  new GraphQLNonNull(GraphQLString),
);

/** The currency of all of these summaries. Throws UNPROCESSABLE_ENTITY, with what follows, where they differ. */
export function oneCurrencyOf(
  summaries: readonly ChargesSummaryRecord[],
  { startDate, endDate }: DateInterval,
  consequence: string,
): string {
  const [currency = '', ...others] = new Set(summaries.map((summary) => readCurrency(summary) ?? ''));
  if (others.length === 0) return currency;
  throw new GatewayError('UNPROCESSABLE_ENTITY', {
    message: `The charges from ${startDate} to ${endDate} are in several currencies, ${consequence}.`,
  });
}

/** Loads the summary of a month. Where a month begins or ends is the gateway's choice, but for the dates that the caller gave. */
export function summaryOf(month: DateInterval, loaders: Loaders, given?: DateInterval) {
  const ownArguments = dates.filter((name) => month[name] !== given?.[name]).map((name) => [name]);
  return loaders.load(getChargesSummary, { ...month }, undefined, { ownArguments });
}

// For the union, and for the interface that its members share.
const lineType = { __resolveType: lineTypeOf };

// A range that begins within a month touches one more than it is long.
const monthsTouched = historyMonths + 1;

export const resource = {
  records: [getChargesSummary],
  fields: {
    Query: { chargesSummary, chargesHistory, chargesHistoryByService },
    ChargesSummary: chargesSummaryFields,
    SummaryLine: lineType,
    ServiceLine: lineType,
    ComparativeLine: { amount: comparativeAmountOf },
    ServiceChange: {
      amount: ({ amount }: ServiceChangeParent) => known(amount),
      previousAmount: ({ previousAmount }: ServiceChangeParent) => known(previousAmount),
    },
    ChargesHistoryByService: chargesHistoryByServiceFields,
    ChargesMonth: {
      startDate: ({ startDate }: DateInterval) => startDate,
      endDate: ({ endDate }: DateInterval) => endDate,
      summary: (month: DateInterval, _args: object, { loaders }: Context) => summaryOf(month, loaders),
    },
    ServiceHistory: {
      // A failure in its place fails the item, at the item's own path.
      amounts: ({ amounts }: ServiceHistoryParent) => amounts as readonly (string | null)[],
      total: totalOfService,
    },
  },
  costs: {
    'Query.chargesSummary': someCalls(1),
    'Query.chargesHistory': (_args, _options, items) => someCalls(items),
    'ChargesSummary.previous': someCalls(1),
    'ChargesSummary.changes': someCalls(1),
    'Query.chargesHistoryByService': someCalls(monthsTouched),
  },
} satisfies Resource;
