import { GatewayError } from '../../errors.ts';
import type { QueryResolvers, SummaryLineResolvers } from '../../generated/schema.ts';
import { getChargesSummary } from '../../upstream/operations/charges-summary.ts';
import { checkDateInterval } from '../date-interval.ts';

export const chargesSummary: QueryResolvers['chargesSummary'] = (_root, args, { loaders }) => {
  checkDateInterval(args.startDate, args.endDate);
  return loaders.load(getChargesSummary, args);
};

const lineTypes: Readonly<Record<string, 'ComparativeLine' | 'SimpleLine'>> = {
  comparative: 'ComparativeLine',
  simple: 'SimpleLine',
};

/** A line of a kind that the contract does not know costs itself alone. */
export const summaryLine: SummaryLineResolvers = {
  __resolveType({ type }) {
    // Only typed as text: it has not been checked, and a record is the upstream's to fill.
    const name = typeof type === 'string' && Object.hasOwn(lineTypes, type) ? lineTypes[type] : undefined;
    if (name !== undefined) return name;
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: 'The upstream sent a summary line of an unknown type: comparative or simple was expected.',
    });
  },
};
