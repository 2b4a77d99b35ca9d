import { GraphQLNonNull } from 'graphql';
import { checkDateInterval, intervalBefore, monthsOf, type DateInterval } from '../billing/date-interval.ts';
import { currencyOf, servicesOf } from '../billing/service-history.ts';
import { comparativeAmountOf, lineTypeOf } from '../billing/summary-line.ts';
import { historyMonths } from '../bounds.ts';
import type { QueryResolvers } from '../generated/schema.ts';
import type { Context } from '../graphql/context.ts';
import { siteOf } from '../graphql/schema/misfit.ts';
import { scalars } from '../graphql/schema/scalars.ts';
import { fieldReader } from '../graphql/schema/wire-fields.ts';
import { someCalls } from '../limits/demand.ts';
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
};

const chargesSummary: QueryResolvers['chargesSummary'] = (_root, args, { loaders }) => {
  checkDateInterval(args.startDate, args.endDate);
  return loaders.load(getChargesSummary, args);
};

const requiredDate = new GraphQLNonNull(scalars.Date);
const readStart = fieldReader<string>(siteOf('ChargesSummary.startDate', 'start_date'), requiredDate);
const readEnd = fieldReader<string>(siteOf('ChargesSummary.endDate', 'end_date'), requiredDate);

/** The period before the one that the summary reports, which may differ from the one of the arguments. */
const chargesSummaryFields = {
  previous(record: ChargesSummaryRecord, _args: object, { loaders }: Context) {
    const interval = intervalBefore({
      startDate: readStart(record) ?? '',
      endDate: readEnd(record) ?? '',
    });
    if (interval === null) return null;
    return loaders.load(getChargesSummary, { ...interval }, undefined, { ownArguments: [['startDate'], ['endDate']] });
  },
};

/** The months of a range, for which no call has been made yet. */
export interface ChargesHistoryByServiceParent {
  readonly months: readonly DateInterval[];
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
  services: async ({ months }: ChargesHistoryByServiceParent, _args: object, { loaders }: Context) =>
    servicesOf(await summariesOf(months, loaders)),
};

function summariesOf(months: readonly DateInterval[], loaders: Loaders) {
  return Promise.allSettled(months.map((month) => summaryOf(month, loaders)));
}

const dates = ['startDate', 'endDate'] as const;

/** The summary of a month. Where a month begins or ends is the gateway's choice, but for the dates that the caller gave. */
function summaryOf(month: DateInterval, loaders: Loaders, given?: DateInterval) {
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
    ChargesHistoryByService: chargesHistoryByServiceFields,
    ChargesMonth: {
      startDate: ({ startDate }: DateInterval) => startDate,
      endDate: ({ endDate }: DateInterval) => endDate,
      summary: (month: DateInterval, _args: object, { loaders }: Context) => summaryOf(month, loaders),
    },
    ServiceHistory: {
      // A failure in its place fails the item, at the item's own path.
      amounts: ({ amounts }: ServiceHistoryParent) => amounts as readonly (string | null)[],
    },
  },
  costs: {
    'Query.chargesSummary': someCalls(1),
    'Query.chargesHistory': (_args, _options, items) => someCalls(items),
    'ChargesSummary.previous': someCalls(1),
    'Query.chargesHistoryByService': someCalls(monthsTouched),
  },
} satisfies Resource;
