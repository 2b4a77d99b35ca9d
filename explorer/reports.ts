import { parse, valueFromASTUntyped, visit } from 'graphql';
import type { Operation } from './link.ts';

/** The period of a report that can be downloaded. */
export interface Report {
  readonly startDate: string;
  readonly endDate?: string;
}

/** The reports that an operation asks for. */
export function reportsOf({ query, variables, operationName }: Operation): readonly Report[] {
  const found: Report[] = [];
  try {
    const values = JSON.parse(variables || '{}') as Record<string, unknown>;
    visit(parse(query), {
      OperationDefinition: ({ name }) => (operationName === null || name?.value === operationName ? undefined : false),
      VariableDefinition({ variable, defaultValue }) {
        if (defaultValue !== undefined) values[variable.name.value] ??= valueFromASTUntyped(defaultValue);
      },
      Field(node) {
        if (!['chargesBreakdown', 'chargesBreakdownCsv'].includes(node.name.value)) return;
        const given = (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, values)]);
        const { startDate, endDate } = Object.fromEntries(given) as Readonly<Record<string, string | null>>;
        const report = startDate == null ? null : { startDate, ...(endDate != null && { endDate }) };
        if (report !== null && !found.some((other) => other.startDate === startDate)) found.push(report);
      },
    });
  } catch {
    // It is no operation as it stands.
  }
  return found;
}
