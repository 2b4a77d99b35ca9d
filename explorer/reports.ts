import { parse, valueFromASTUntyped, visit } from 'graphql';
import { callerHeaders } from './caller.ts';
import type { Operation } from './link.ts';

/** A report that can be downloaded. */
export interface Report {
  readonly path: string;
  readonly startDate: string;
}

const reportFields = new Set(['chargesBreakdown', 'chargesBreakdownCsv']);

/** The reports that an operation asks for, each once. */
export function reportsOf({ query, variables, operationName }: Operation): readonly Report[] {
  const found = new Map<string, Report>();
  try {
    const values = JSON.parse(variables || '{}') as Record<string, unknown>;
    visit(parse(query), {
      OperationDefinition(node) {
        if (operationName !== null && node.name?.value !== operationName) return false;
        for (const { variable, defaultValue } of node.variableDefinitions ?? [])
          if (defaultValue !== undefined) values[variable.name.value] ??= valueFromASTUntyped(defaultValue);
        return undefined;
      },
      Field(node) {
        if (!reportFields.has(node.name.value)) return;
        const given = (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, values)]);
        const { startDate, endDate } = Object.fromEntries(given) as Readonly<Record<string, string | null>>;
        if (startDate == null) return;
        const dates = new URLSearchParams({ startDate, ...(endDate != null && { endDate }) });
        found.set(String(dates), { path: `/exports/charges-breakdown.csv?${dates}`, startDate });
      },
    });
  } catch {
    // It is no operation as it stands.
  }
  return [...found.values()];
}

/** Stores a report as a file; returns why not, or nothing. */
export async function downloadReport({ path }: Report): Promise<string> {
  const response = await fetch(path, { headers: { accept: 'text/csv', ...callerHeaders() } }).catch(() => null);
  if (response === null) return 'The gateway did not answer. Try again.';
  if (!response.ok) {
    const { errors } = (await response.json().catch(() => ({}))) as {
      readonly errors?: readonly { message: string }[];
    };
    return errors?.[0]?.message ?? `The report was refused with ${response.status}.`;
  }
  try {
    const address = URL.createObjectURL(await response.blob());
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    const link = Object.assign(document.createElement('a'), {
      href: address,
      download: name ?? 'charges-breakdown.csv',
    });
    link.click();
    // The browser has begun to read it by then.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    return '';
  } catch {
    return 'The report broke off. Try again.';
  }
}
