import { GraphQLNonNull, GraphQLString } from 'graphql';
import { monthOf, monthsBefore, type DateInterval } from '../billing/date-interval.ts';
import { inOrder, medianOf } from '../billing/decimal.ts';
import { historyMonths } from '../bounds.ts';
import { badArgument, GatewayError } from '../errors.ts';
import type { QueryResolvers } from '../generated/schema.ts';
import { siteOf } from '../graphql/schema/checked-value.ts';
import { fieldReader } from '../graphql/schema/wire-fields.ts';
import { someCalls } from '../limits/field-cost.ts';
import { grandTotalOf, summaryOf } from './charges-summary.ts';
import type { Resource } from './resource.ts';

/** What a month may cost, as its fields show it. */
export interface ChargesForecastParent extends DateInterval {
  readonly currency: string;
  readonly expected: string;
  readonly low: string;
  readonly high: string;
  readonly months: number;
}

const readCurrency = fieldReader<string>(
  siteOf('ChargesSummary.currency', 'currency'),
  new GraphQLNonNull(GraphQLString),
);
/** As the schema has it, also where null is given. */
const usualMonths = 6;
const coordinate = 'ChargesForecast.expected';

/** Looks at the last complete months before a month. One that fails fails all: of the others another median would come. */
const chargesForecast: QueryResolvers['chargesForecast'] = async (_root, args, { loaders }) => {
  const count = args.months ?? usualMonths;
  if (count < 1 || count > historyMonths) throw badArgument(['months'], `months must be from 1 to ${historyMonths}.`);
  const month = monthOf(args.month, ['month']);
  const looked = monthsBefore(month, count, new Date().toISOString().slice(0, 10));
  if (looked.length === 0) throw badArgument(['month'], 'month must have a complete month before it.');
  const summaries = await Promise.all(looked.map((each) => summaryOf(each, loaders)));
  const totals = inOrder(summaries.map(grandTotalOf), coordinate);
  const currencies = new Set(summaries.map((summary) => readCurrency(summary) ?? ''));
  const [currency = ''] = currencies;
  if (currencies.size > 1) throw severalCurrencies(looked);
  const [low = '', high = ''] = [totals[0], totals.at(-1)];
  return { ...month, currency, expected: medianOf(totals, coordinate), low, high, months: totals.length };
};

function severalCurrencies(months: readonly DateInterval[]): GatewayError {
  const period = `${months[0]?.startDate} to ${months.at(-1)?.endDate}`;
  return new GatewayError('UNPROCESSABLE_ENTITY', {
    message: `The charges from ${period} are in several currencies, which have no median.`,
  });
}

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
