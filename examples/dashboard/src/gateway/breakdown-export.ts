import { parse } from 'content-disposition';
import type { Period } from '../values/day.ts';
import { failureOf, unreachable, type Failure } from './failure.ts';

/** A file with the name that the gateway gave it. */
export interface NamedFile {
  readonly content: Blob;
  readonly name: string;
}

/** Fetches the CSV report with the key in a header, since an address must not contain it; the file, or the failures. */
export async function fetchBreakdown(period: Period, key: string): Promise<NamedFile | readonly Failure[]> {
  try {
    const response = await fetch(`/exports/charges-breakdown.csv?${new URLSearchParams({ ...period })}`, {
      headers: { authorization: `Bearer ${key}` },
      credentials: 'omit',
      cache: 'no-store',
    });
    if (response.ok) return { content: await response.blob(), name: nameOf(response) };
    const { errors } = (await response.json()) as { readonly errors: readonly Parameters<typeof failureOf>[0][] };
    return errors.map(failureOf);
  } catch {
    return [unreachable()];
  }
}

function nameOf({ headers }: Response): string {
  const { filename } = parse(headers.get('content-disposition') ?? 'attachment').parameters;
  return filename ?? 'charges-breakdown.csv';
}

/** Hands a file to the browser's downloads. */
export function save({ content, name }: NamedFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser holds the file by the next tick.
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
