import { markOf, type Mark } from './anchor.ts';
import type { Source } from './source.ts';

/** The text that a row without an identity is known by: all of it, however the numbers of its free-form values were read. */
export function looksOf(row: unknown): string {
  try {
    return JSON.stringify(row, (_name, value: unknown) => (json.isRawJSON(value) ? Number(value.rawJSON) : value));
  } catch {
    // Too deeply nested for a replacer; as it is, it can still be written.
    return JSON.stringify(row);
  }
}

// TypeScript's library does not know this part of ECMAScript 2026 yet.
const json = JSON as typeof JSON & { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

/** Tells a row from the others of its list; a row without an identity is known by its looks. */
export function nameOfRow<Row>({ identityOf }: Pick<Source<Row>, 'identityOf'>, row: Row): string {
  return identityOf(row) ?? looksOf(row);
}

/** The mark of a row. */
export function markOfRow<Row>(source: Pick<Source<Row>, 'identityOf'>, row: Row): Mark {
  return markOf(nameOfRow(source, row));
}
