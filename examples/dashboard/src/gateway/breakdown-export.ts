import type { Period } from '../values/day.ts';
import { failureOf, unreachable, type Failure } from './failure.ts';

/** Fetches the CSV report with the key in a header, since an address may not carry it; what failed, or the file. */
export async function fetchBreakdown(period: Period, key: string): Promise<Blob | readonly Failure[]> {
  try {
    const response = await fetch(`/exports/charges-breakdown.csv?${new URLSearchParams({ ...period })}`, {
      headers: { authorization: `Bearer ${key}` },
      credentials: 'omit',
      cache: 'no-store',
    });
    if (response.ok) return await response.blob();
    const { errors } = (await response.json()) as { readonly errors: readonly Parameters<typeof failureOf>[0][] };
    return errors.map(failureOf);
  } catch {
    return [unreachable()];
  }
}

/** Hands a file to the browser's downloads. */
export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has taken hold of it by the next turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
