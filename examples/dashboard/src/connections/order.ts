import type { SortingState } from '@tanstack/react-table';
import type { IpConnectionOrder } from '../generated/documents.ts';

const fields: readonly string[] = ['CONNECTION_NAME', 'ACTIVE', 'CREATED_AT'] satisfies IpConnectionOrder['field'][];

/** The table's order that the address names, e.g. `-CREATED_AT` for the newest first; none where it names no known one. */
export function sortingOf(text: string): SortingState {
  const id = text.replace(/^-/, '');
  return fields.includes(id) ? [{ id, desc: text !== id }] : [];
}

/** The order as the address names it; empty for the list's own. */
export function textOf([column]: SortingState): string {
  if (column === undefined) return '';
  return (column.desc ? '-' : '') + column.id;
}

/** The order as the schema's; null for the list's own. */
export function orderOf([column]: SortingState): IpConnectionOrder | null {
  if (column === undefined) return null;
  return { field: column.id as IpConnectionOrder['field'], direction: column.desc ? 'DESC' : 'ASC' };
}
