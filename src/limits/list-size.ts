import { valueFromASTUntyped, type GraphQLField } from 'graphql';
import { largestPageSize } from '../bounds.ts';

/** What the schema's `@listSize` says of a field (Federation, "@listSize"). */
export interface ListSize {
  /** Arguments that say how many items are wanted. */
  readonly slicingArguments: readonly string[];
  /** Fields of the returned object that hold the items; empty where the field itself is the list. */
  readonly sizedFields: readonly string[];
  /** Items where no argument says how many. */
  readonly assumedSize: number;
}

/** The `@listSize` of a field; null where it has none. */
export function listSizeOf({ astNode }: GraphQLField<unknown, unknown>): ListSize | null {
  const directive = astNode?.directives?.find(({ name }) => name.value === 'listSize');
  if (directive === undefined) return null;
  const given = Object.fromEntries(
    (directive.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value)]),
  );
  const none = { slicingArguments: [], sizedFields: [], assumedSize: 1 };
  return { ...none, ...given };
}

/** How many items may come at most. A size that the field will refuse counts as the nearest that it takes. */
export function itemsOf({ slicingArguments, assumedSize }: ListSize, args: Readonly<Record<string, unknown>>): number {
  const given = slicingArguments.map((name) => args[name]).filter((value) => typeof value === 'number');
  return given.length === 0 ? assumedSize : Math.min(Math.max(0, ...given), largestPageSize);
}
