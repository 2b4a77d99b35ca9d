import type { QueryResolvers } from '../../generated/schema.ts';
import { getChargesSummary } from '../../upstream/operations/charges-summary.ts';
import { monthsOf } from '../date-interval.ts';

/** One summary a month, asked for side by side; a month that fails is an error in its own place. */
export const chargesHistory: QueryResolvers['chargesHistory'] = (_root, args, { loaders }) =>
  monthsOf(args).map((month) => loaders.load(getChargesSummary, { ...month }));
