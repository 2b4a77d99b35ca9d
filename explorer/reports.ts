import { parse, valueFromASTUntyped, visit } from 'graphql';
import type { Operation } from './link.ts';

/** The period of a report that can be downloaded. */
export interface Report {
  readonly startDate: string;
  readonly endDate?: string;
}

/** The reports that an operation asks for. */
export function reportsOf({ query, variables, operationName }: Operation): readonly Report[] {
  const found = new Map<string, Report>();
  try {
    const values = JSON.parse(variables || '{}') as Record<string, unknown>;
    visit(parse(query), {
      OperationDefinition: ({ name }) => (operationName === null || name?.value === operationName ? undefined : false),
      VariableDefinition({ variable, defaultValue }) {
        if (defaultValue !== undefined) values[variable.name.value] ??= valueFromASTUntyped(defaultValue);
      },
      Field({ name, arguments: given = [] }) {
        if (!['chargesBreakdown', 'chargesBreakdownCsv'].includes(name.value)) return;
        const period = Object.fromEntries(
          given.map((each) => [each.name.value, valueFromASTUntyped(each.value, values)]),
        );
        const { startDate, endDate } = period as Readonly<Record<string, string | null>>;
        if (startDate != null) found.set(startDate, { startDate, ...(endDate != null && { endDate }) });
      },
    });
  } catch {
    // It is no operation as it stands.
  }
  return [...found.values()];
}
