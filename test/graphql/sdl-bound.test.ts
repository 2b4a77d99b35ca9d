import { Kind, type DocumentNode } from 'graphql';
import { expect, test } from 'vitest';
import { totalsPerList } from '../../src/resources/charges/breakdown-totals.ts';
import { billingPeriodDays } from '../../src/billing/date-interval.ts';
import { countCalls } from '../../src/resources/delivery-counts.ts';
import { failureGroups } from '../../src/resources/delivery-failures.ts';
import { defaultPageSize, historyMonths, largestPageSize, nodesPerField } from '../../src/bounds.ts';
import { limits, readConfig } from '../../src/config.ts';
import { readTypeDefs } from '../../.ci/type-defs.ts';
import { deliveryMarks } from '../../src/live/event-ids.ts';
import { listSizeOf } from '../../src/limits/cost.ts';
import { searchOptionsOf } from '../../src/limits/field-cost.ts';

/** What can be described: a type, a field, an argument or an enum value, with what stands below it. */
interface Described {
  readonly name: { readonly value: string };
  readonly description?: { readonly value: string } | undefined;
  readonly fields?: readonly Described[] | undefined;
  readonly values?: readonly Described[] | undefined;
  readonly arguments?: readonly Described[] | undefined;
}

/** All descriptions by schema coordinate, e.g. `Query.nodes(nodeIds:)`. */
function descriptionsIn({ definitions }: DocumentNode): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const note = (coordinate: string, { description }: Described): void => {
    if (description !== undefined) found.set(coordinate, description.value);
  };
  for (const definition of definitions) {
    if (definition.kind === Kind.SCHEMA_EXTENSION || !('name' in definition)) continue;
    const type = definition as Described;
    note(type.name.value, type);
    for (const member of [...(type.fields ?? []), ...(type.values ?? [])]) {
      const coordinate = `${type.name.value}.${member.name.value}`;
      note(coordinate, member);
      for (const argument of member.arguments ?? []) note(`${coordinate}(${argument.name.value}:)`, argument);
    }
  }
  return found;
}

/** The numbers of a description outside its code. Digits within a word (T.38, 1xx, E.164) are no number. */
function numbersIn(description: string): readonly number[] {
  const words = description.replaceAll(/`[^`]*`/g, ' ');
  const numbers = words.matchAll(/(?<![\w.])\d[\d,]*(?![\w]|\.\d|,\d)/g);
  return [...numbers].map(([text]) => Number(text.replaceAll(',', '')));
}

type Rule = readonly [coordinate: RegExp, numbers: readonly number[]];

const { reportWeight = 0 } = searchOptionsOf(readConfig({}));

/** The numbers of descriptions that are bounds or settings of ours. */
const ours: readonly Rule[] = [
  [/(?<!Failures|services)\(first:\)$/, [largestPageSize, defaultPageSize]],
  [/^ChargesHistoryByService\.services\(first:\)$/, [largestPageSize]],
  [/^Query\.deliveryFailures\(first:\)$/, [largestPageSize]],
  [/^Query\.deliveryCounts$/, [countCalls]],
  [/\(last:\)$/, [largestPageSize]],
  [/^\w+Connection$/, [defaultPageSize, largestPageSize]],
  [/^Charges(?:Breakdown|Summary)$/, [billingPeriodDays]],
  [/^Query\.charges(?:Summary|Breakdown|BreakdownCsv)\(endDate:\)$/, [billingPeriodDays]],
  [/^Query\.chargesHistory$/, [historyMonths]],
  [/^Query\.chargesHistory(?:ByService)?\(endDate:\)$/, [historyMonths]],
  [/^Query\.chargesBreakdown$/, [reportWeight, limits.limitCost.fallback]],
  [/^Query\.chargesForecast\(months:\)$/, [1, historyMonths]],
  [/^Query\.nodes\(nodeIds:\)$/, [nodesPerField]],
  [/^Subscription\.webhookDeliveries$/, [deliveryMarks]],
  [/^ChargesBreakdownTotals\.by(?:CostType|ServiceOwner)$/, [totalsPerList]],
];

/** Those that are facts of the platform, of a standard or of the calendar. */
const theirs: readonly Rule[] = [
  [/^DateTime$/, [8601]],
  [/^Interval\.WEEK$/, [8601]],
  [/^IpConnection\.id$/, [64]],
  [/^NoiseSuppressionDetails\.attenuationLimit$/, [0, 100, 10]],
  [/^Attempt(?:Request|Response)\.(?:headers|body)$/, [10]],
  [/^ChargesSummary\.previous$/, [1, 1, 1, 1, 0]],
];

const descriptions = descriptionsIn(readTypeDefs());
const rules = [...ours, ...theirs];

test('every number in a description of the SDL is a bound of ours or a listed fact of the platform', () => {
  const numbered = [...descriptions].filter(([, description]) => numbersIn(description).length > 0);
  const faults = numbered.flatMap(([coordinate, description]) => {
    const numbers = numbersIn(description);
    const rule = rules.find(([pattern]) => pattern.test(coordinate));
    return rule?.[1].join() === numbers.join() ? [] : [`${coordinate}: ${numbers.join()}, not ${rule?.[1].join()}`];
  });
  expect(faults).toEqual([]);
});

/** Lists whose usual length is a fact of accounts and no bound of ours. */
const usualLengths: Readonly<Record<string, number>> = { 'ChargesHistoryByService.services': 20 };

test('every assumed size of a list in the SDL is the bound that decides its length', () => {
  const monthsTouched = historyMonths + 1;
  const sizes: Readonly<Record<string, number>> = {
    'Query.chargesHistory': monthsTouched,
    'ChargesHistoryByService.months': monthsTouched,
    'ChargesBreakdownTotals.byCostType': totalsPerList,
    'ChargesBreakdownTotals.byServiceOwner': totalsPerList,
    'Query.deliveryFailures': failureGroups,
    ...usualLengths,
  };
  const assumed = readTypeDefs().definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION
      ? (definition.fields ?? []).flatMap((astNode) => {
          const size = listSizeOf({ astNode } as Parameters<typeof listSizeOf>[0]);
          return size === null ? [] : [{ name: `${definition.name.value}.${astNode.name.value}`, size }];
        })
      : [],
  );
  expect(assumed.length).toBeGreaterThan(Object.keys(sizes).length);
  for (const { name, size } of assumed)
    expect([name, size.assumedSize]).toEqual([name, sizes[name] ?? defaultPageSize]);
});
