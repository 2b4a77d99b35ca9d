import type { entities } from './node-id.ts';

type TypeName = keyof typeof entities;

// A record does not say of which type it is; the look-up that found it does. The record itself stays untouched.
const types = new WeakMap<object, TypeName>();

/** Remembers of which type a record is, for a field that may return several; hands the record back. */
export function noteType<Record extends object>(record: Record | null, type: TypeName): Record | null {
  if (record !== null) types.set(record, type);
  return record;
}

/** The type of a record that was noted; null for any other. */
export function typeOf(record: object): TypeName | null {
  return types.get(record) ?? null;
}
