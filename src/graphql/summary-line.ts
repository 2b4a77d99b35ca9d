import { GraphQLNonNull } from 'graphql';
import { GatewayError } from '../errors.ts';
import type { ComparativeLineRecord, SummaryLineRecord } from '../upstream/operations/charges-summary.ts';
import { sumOf } from './decimal.ts';
import { scalars } from './scalars.ts';
import { readerOf, recordOf } from './wire.ts';

const lineTypes: Readonly<Record<string, 'ComparativeLine' | 'SimpleLine'>> = {
  comparative: 'ComparativeLine',
  simple: 'SimpleLine',
};

/** The shape of a line by its `type`. One that the contract does not know is UPSTREAM_BAD_RESPONSE, and costs itself alone. */
export function lineTypeOf({ type }: SummaryLineRecord): 'ComparativeLine' | 'SimpleLine' {
  // Only typed as text: it has not been checked, and a record is the upstream's to fill.
  const name = typeof type === 'string' && Object.hasOwn(lineTypes, type) ? lineTypes[type] : undefined;
  if (name !== undefined) return name;
  throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: 'The upstream sent a summary line of an unknown type: comparative or simple was expected.',
  });
}

const requiredDecimal = new GraphQLNonNull(scalars.Decimal);
const readAmount = readerOf<string>(requiredDecimal, 'amount');
const readMrc = readerOf<string>(requiredDecimal, 'mrc');
const readOtc = readerOf<string>(scalars.Decimal, 'otc');

/** New and existing, recurring and one-time charges together, to the digit. Throws UPSTREAM_BAD_RESPONSE. */
export function comparativeAmountOf(line: ComparativeLineRecord): string {
  return sumOf(partsOf(line));
}

/** What makes up the amount of a line, whichever shape it has. Throws UPSTREAM_BAD_RESPONSE. */
export function amountsOf(line: SummaryLineRecord): readonly string[] {
  return lineTypeOf(line) === 'SimpleLine'
    ? [readAmount((line as { readonly amount?: unknown }).amount) ?? '']
    : partsOf(line as ComparativeLineRecord);
}

function partsOf(line: ComparativeLineRecord): readonly string[] {
  const added = recordOf(line.new_this_month, 'new_this_month');
  const existing = recordOf(line.existing_this_month, 'existing_this_month');
  const parts = [added, existing].flatMap(({ mrc, otc }) => [readMrc(mrc), readOtc(otc)]);
  return parts.filter((part) => part !== null);
}
