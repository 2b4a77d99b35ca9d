import { GatewayError } from '../../errors.ts';
import type { QueryResolvers, SummaryLineResolvers } from '../../generated/schema.ts';
import { getChargesSummary } from '../../upstream/operations/charges-summary.ts';
import type { Context } from '../context.ts';
import { checkDateInterval } from '../date-interval.ts';

export const chargesSummary: QueryResolvers<Context>['chargesSummary'] = (_root, args, { loaders }) => {
  checkDateInterval(args.startDate, args.endDate);
  return loaders.load(getChargesSummary, args);
};

const lineTypes: Readonly<Record<string, 'ComparativeLine' | 'SimpleLine'>> = {
  comparative: 'ComparativeLine',
  simple: 'SimpleLine',
};

/** A line of a kind that the contract does not know costs itself alone. */
export const summaryLine: SummaryLineResolvers<Context> = {
  __resolveType({ type }) {
    const name = Object.hasOwn(lineTypes, type) ? lineTypes[type] : undefined;
    if (name !== undefined) return name;
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: 'The upstream sent a summary line of an unknown type: comparative or simple was expected.',
    });
  },
};
