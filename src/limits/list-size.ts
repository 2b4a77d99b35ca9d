import { valueFromASTUntyped, type GraphQLField } from 'graphql';
import { largestPageSize } from '../bounds.ts';

/** The `@listSize` of a field of the schema (Federation, "@listSize"). */
export interface ListSize {
  /** The arguments that set the number of items. */
  readonly slicingArguments: readonly string[];
  /** The fields of the returned object that hold the items; empty where the field itself is the list. */
  readonly sizedFields: readonly string[];
  /** The number of items where no argument sets it. */
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

/** The most items that may be returned. A size that the field refuses counts as the nearest one that it accepts. */
export function itemsOf({ slicingArguments, assumedSize }: ListSize, args: Readonly<Record<string, unknown>>): number {
  const given = slicingArguments.map((name) => args[name]).filter((value) => typeof value === 'number');
  return given.length === 0 ? assumedSize : Math.min(Math.max(0, ...given), largestPageSize);
}
