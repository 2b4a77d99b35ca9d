import type { ServiceLineFragment } from '../generated/documents.ts';
import { sum, type Decimal } from '../values/decimal.ts';

/** A summary's line of either shape. */
export type ServiceLine = ServiceLineFragment;
/** One that sets new against existing. */
export type ComparativeLine = Extract<ServiceLine, { readonly __typename: 'ComparativeLine' }>;
/** One with a quantity and an amount. */
export type SimpleLine = Extract<ServiceLine, { readonly __typename: 'SimpleLine' }>;

/** What a line comes to. The schema has this for one of the two shapes only; for the other it is added up here. */
export function amountOf(line: ServiceLine): Decimal {
  if (line.__typename === 'SimpleLine') return line.amount;
  const { newThisMonth, existingThisMonth } = line;
  return sum([newThisMonth.mrc, newThisMonth.otc ?? '0', existingThisMonth.mrc, existingThisMonth.otc ?? '0']);
}

/** The amounts of a summary by the alias of their service. */
export function amountsByService(lines: readonly (ServiceLine | null)[]): ReadonlyMap<string, Decimal> {
  return new Map(lines.filter((line) => line !== null).map((line) => [line.alias, amountOf(line)]));
}
