import { monthOf, monthsBefore, type DateInterval } from '../billing/date-interval.ts';
import { inOrder, medianOf } from '../billing/decimal.ts';
import { historyMonths } from '../bounds.ts';
import { badArgument } from '../errors.ts';
import type { QueryResolvers } from '../generated/schema.ts';
import { someCalls } from '../limits/field-cost.ts';
import { grandTotalOf, oneCurrencyOf, summaryOf } from './charges-summary.ts';
import type { Resource } from './resource.ts';

/** What a month may cost, as its fields show it. */
export interface ChargesForecastParent extends DateInterval {
  readonly currency: string;
  readonly expected: string;
  readonly low: string;
  readonly high: string;
  readonly months: number;
}

/** As the schema has it, also where null is given. */
const usualMonths = 6;
const coordinate = 'ChargesForecast.expected';

/** Looks at the last complete months before a month. One that fails fails all: of the others another median would come. */
const chargesForecast: QueryResolvers['chargesForecast'] = async (_root, args, { loaders, now }) => {
  const count = args.months ?? usualMonths;
  if (count < 1 || count > historyMonths) throw badArgument(['months'], `months must be from 1 to ${historyMonths}.`);
  const month = monthOf(args.month, ['month']);
  const looked = monthsBefore(month, count, new Date(now()).toISOString().slice(0, 10));
  if (looked.length === 0) throw badArgument(['month'], 'month must have a complete month before it.');
  const summaries = await Promise.all(looked.map((each) => summaryOf(each, loaders)));
  const totals = inOrder(summaries.map(grandTotalOf), coordinate);
  const period = { startDate: looked[0]?.startDate ?? '', endDate: looked.at(-1)?.endDate ?? '' };
  const currency = oneCurrencyOf(summaries, period, 'which have no median');
  const [low = '', high = ''] = [totals[0], totals.at(-1)];
  return { ...month, currency, expected: medianOf(totals, coordinate), low, high, months: totals.length };
};

export const resource = {
  fields: {
    Query: { chargesForecast },
    ChargesForecast: {
      startDate: ({ startDate }: ChargesForecastParent) => startDate,
      endDate: ({ endDate }: ChargesForecastParent) => endDate,
    },
  },
  costs: {
    'Query.chargesForecast': ({ months }) =>
      someCalls(typeof months === 'number' ? Math.min(Math.max(1, months), historyMonths) : usualMonths),
  },
} satisfies Resource;
