/** Any value a response can carry. */
export type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json };

/** An integer of any size as a bare JSON number: a JavaScript number would round one beyond 2^53 before it is written. */
export function bigNumber(digits: string): Json {
  // The type library does not know JSON.rawJSON yet; Node has it since version 22.
  return (JSON as unknown as { rawJSON(text: string): Json }).rawJSON(digits);
}

function isRaw(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: object): boolean }).isRawJSON(value);
}

/** A copy of a value with each text in it changed; names and big numbers stay as they are. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null || isRaw(value)) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)]));
}
