import { GraphQLNonNull } from 'graphql';
import type { ChargesSummaryResolvers, ComparativeLineResolvers, QueryResolvers } from '../../generated/schema.ts';
import { getChargesSummary } from '../../upstream/endpoints/charges-summary.ts';
import { checkDateInterval, intervalBefore } from '../billing/date-interval.ts';
import { scalars } from '../schema/scalars.ts';
import { comparativeAmountOf, lineTypeOf } from '../billing/summary-line.ts';
import { siteOf } from '../schema/misfit.ts';
import { fieldReader } from '../schema/wire-fields.ts';

export const chargesSummary: QueryResolvers['chargesSummary'] = (_root, args, { loaders }) => {
  checkDateInterval(args.startDate, args.endDate);
  return loaders.load(getChargesSummary, args);
};

const requiredDate = new GraphQLNonNull(scalars.Date);
const readStart = fieldReader<string>(siteOf('ChargesSummary.startDate', 'start_date'), requiredDate);
const readEnd = fieldReader<string>(siteOf('ChargesSummary.endDate', 'end_date'), requiredDate);

/** The period before the one that the summary reports, which may differ from the one of the arguments. */
export const chargesSummaryType: Pick<ChargesSummaryResolvers, 'previous'> = {
  previous(record, _args, { loaders }) {
    const interval = intervalBefore({
      startDate: readStart(record) ?? '',
      endDate: readEnd(record) ?? '',
    });
    if (interval === null) return null;
    return loaders.load(getChargesSummary, { ...interval }, undefined, { ownArguments: [['startDate'], ['endDate']] });
  },
};

/** For the union, and for the interface that its members share. */
export const lineType = { __resolveType: lineTypeOf };

export const comparativeLine: Pick<ComparativeLineResolvers, 'amount'> = { amount: comparativeAmountOf };
