import type { ServiceLineFragment } from '../generated/documents.ts';
import type { Decimal } from '../values/decimal.ts';

/** A summary's line of either shape. */
export type ServiceLine = ServiceLineFragment;
/** One that sets new against existing. */
export type ComparativeLine = Extract<ServiceLine, { readonly __typename: 'ComparativeLine' }>;
/** One with a quantity and an amount. */
export type SimpleLine = Extract<ServiceLine, { readonly __typename: 'SimpleLine' }>;

/** The amounts of a summary by the alias of their service. */
export function amountsByService(
  lines: readonly (Pick<ServiceLine, 'alias' | 'amount'> | null)[],
): ReadonlyMap<string, Decimal> {
  return new Map(lines.filter((line) => line !== null).map(({ alias, amount }) => [alias, amount]));
}
