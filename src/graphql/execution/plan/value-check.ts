// Which error that is, and where, the general executor tells.
const handOver = new Error('A value cannot be shown as it is.');

/** Ends the compiled way at a value that is not as it should be. */
export function bad(): never {
  throw handOver;
}

/** A value that may be missing neither on its way in nor out. */
export function some<Value>(value: Value): NonNullable<Value> {
  return value ?? bad();
}

/** As graphql-js has it: whatever can be waited for. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | null | undefined)?.then === 'function';
}
