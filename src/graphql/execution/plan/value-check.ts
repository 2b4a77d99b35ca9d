// The general executor finds out which error that is, and where.
const handOver = new Error('A value cannot be shown as it is.');

/** Ends the compiled path, at a value that is not as it should be. */
export function bad(): never {
  throw handOver;
}

/** The value, where it is neither null nor undefined; otherwise the compiled path ends. */
export function some<Value>(value: Value): NonNullable<Value> {
  return value ?? bad();
}

/** Whether a value is a promise, by the rule of graphql-js: any object with a `then`. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | null | undefined)?.then === 'function';
}
