import type {
  ChargesHistoryByServiceResolvers,
  ChargesMonthResolvers,
  QueryResolvers,
  ServiceHistoryResolvers,
} from '../../generated/schema.ts';
import { getChargesSummary } from '../../upstream/endpoints/charges-summary.ts';
import type { Loaders } from '../../lists/loaders.ts';
import { monthsOf, type DateInterval } from '../billing/date-interval.ts';
import { currencyOf, servicesOf } from '../billing/service-history.ts';

/** One summary for each month, loaded side by side. A month that fails is an error in its own place. */
export const chargesHistory: QueryResolvers['chargesHistory'] = (_root, args, { loaders }) =>
  monthsOf(args).map((month) => summaryOf(month, loaders, args));

/** The months alone. Their summaries are loaded by the fields that are selected of them. */
export const chargesHistoryByService: QueryResolvers['chargesHistoryByService'] = (_root, args) => ({
  months: monthsOf(args),
});

export const chargesHistoryByServiceType: Pick<ChargesHistoryByServiceResolvers, 'currency' | 'services'> = {
  currency: async ({ months }, _args, { loaders }) => currencyOf(await summariesOf(months, loaders)),
  services: async ({ months }, _args, { loaders }) => servicesOf(await summariesOf(months, loaders)),
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

export const chargesMonth: ChargesMonthResolvers = {
  startDate: ({ startDate }) => startDate,
  endDate: ({ endDate }) => endDate,
  summary: (month, _args, { loaders }) => summaryOf(month, loaders),
};

export const serviceHistory: Pick<ServiceHistoryResolvers, 'amounts'> = {
  // A failure in its place fails the item, at the item's own path.
  amounts: ({ amounts }) => amounts as readonly (string | null)[],
};
