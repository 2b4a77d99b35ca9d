import { GraphQLNonNull } from 'graphql';
import { GatewayError, type ViolationKind } from '../errors.ts';
import type { ComparativeLineRecord, SummaryLineRecord } from '../resources/charges-summary.ts';
import { sumOf } from './decimal.ts';
import { scalars } from '../graphql/schema/scalars.ts';
import { recordOf, siteOf } from '../graphql/schema/checked-value.ts';
import { fieldReader } from '../graphql/schema/wire-fields.ts';

const lineTypes: Readonly<Record<string, 'ComparativeLine' | 'SimpleLine'>> = {
  comparative: 'ComparativeLine',
  simple: 'SimpleLine',
};

/** The member of a line that tells its type, and the types by what it says. */
export const lineUnion = { tag: 'type', types: lineTypes } as const;

const typeSite = siteOf('ServiceLine.type', lineUnion.tag);

/** The shape of a line by its `type`. A type that the contract does not have is UPSTREAM_BAD_RESPONSE, and fails that line alone. */
export function lineTypeOf(line: SummaryLineRecord): 'ComparativeLine' | 'SimpleLine' {
  const type = line[lineUnion.tag];
  // It has not been checked: the record is as the API sent it.
  const name = typeof type === 'string' && Object.hasOwn(lineTypes, type) ? lineTypes[type] : undefined;
  if (name !== undefined) return name;
  throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: 'The upstream sent a summary line of an unknown type: comparative or simple was expected.',
    violation: { coordinate: typeSite.coordinate, kind: kindOf(type), place: { holder: line, key: typeSite.wireName } },
  });
}

/** A text may be a line type of the API's next version. Anything else cannot be a line type. */
function kindOf(type: unknown): ViolationKind {
  if (type == null) return 'missing';
  return typeof type === 'string' ? 'unknown_value' : 'wrong_type';
}

const requiredDecimal = new GraphQLNonNull(scalars.Decimal);
const readAmount = fieldReader<string>(siteOf('SimpleLine.amount', 'amount'), requiredDecimal);
const readMrc = fieldReader<string>(siteOf('MonthDetail.mrc', 'mrc'), requiredDecimal);
const readOtc = fieldReader<string>(siteOf('MonthDetail.otc', 'otc'), scalars.Decimal);
const addedSite = siteOf('ComparativeLine.newThisMonth', 'new_this_month');
const existingSite = siteOf('ComparativeLine.existingThisMonth', 'existing_this_month');

/** The exact sum of new and existing, recurring and one-time charges. Throws UPSTREAM_BAD_RESPONSE. */
export function comparativeAmountOf(line: ComparativeLineRecord): string {
  return sumOf(partsOf(line), 'ComparativeLine.amount');
}

/** The parts of the amount of a line of either shape. Throws UPSTREAM_BAD_RESPONSE. */
export function amountsOf(line: SummaryLineRecord): readonly string[] {
  return lineTypeOf(line) === 'SimpleLine' ? [readAmount(line) ?? ''] : partsOf(line as ComparativeLineRecord);
}

function partsOf(line: ComparativeLineRecord): readonly string[] {
  const added = recordOf(line.new_this_month, addedSite, line);
  const existing = recordOf(line.existing_this_month, existingSite, line);
  const parts = [added, existing].flatMap((detail) => [readMrc(detail), readOtc(detail)]);
  return parts.filter((part) => part !== null);
}
