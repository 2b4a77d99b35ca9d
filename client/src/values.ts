/** Digit for digit what the API sent: do not calculate with it as a double. */
export type Decimal = `${number}`;

/** The types of the schema's scalars in TypeScript, as generators of code take them. */
export const scalars = {
  Date: 'string',
  DateTime: 'string',
  Decimal: '`${number}`',
  JSONObject: 'Record<string, unknown>',
} as const;

/** What Safari 18.4, Chrome 114, Firefox 135 and Node 21 hand to a reviver. */
type ReviverWithSource = (name: string, value: unknown, context: { readonly source: string }) => unknown;

/**
 * Parses JSON as `JSON.parse` does, but for integers beyond 2^53, which that rounds: they become a `bigint`, or with `text` their digits.
 * Throws a TypeError in an engine that cannot tell them, rather than round in silence.
 */
export function parseExactly(json: string, large: 'bigint' | 'text' = 'bigint'): unknown {
  const revive: ReviverWithSource = (_name, value, { source }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return value;
    return large === 'bigint' ? BigInt(source) : source;
  };
  return JSON.parse(json, revive as (name: string, value: unknown) => unknown);
}
