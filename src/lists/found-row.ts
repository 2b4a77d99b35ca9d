import type { Entity } from '../upstream/endpoint.ts';

/** A row to be found. */
export interface WantedRow {
  readonly id: string;
  /** The hint that the entity's `hintName` named when the row was last seen; null where there is none. */
  readonly hint: string | null;
}

/** A row that was looked for; null where there is none, an error where that is unknown. */
export type Found<Row> = Row | null | Error;

/** What has been found so far, by identifier; undefined for a row that is still being looked for. */
export type FoundRows<Row> = ReadonlyMap<string, Found<Row> | undefined>;

/** Rows by their identifiers. */
export function indexOf<Row>({ list }: Entity<Row>, rows: readonly (Row | null)[]): Map<string, Row> {
  const index = new Map<string, Row>();
  for (const row of rows) {
    const id = row?.[list.idName];
    if (typeof id === 'string' && row !== null) index.set(id, row);
  }
  return index;
}

/** A thrown value as an Error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Something was thrown that is no error.', { cause: error });
}
