/** Any value a response can carry. */
export type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json };

/** An integer of any size as a bare JSON number: a JavaScript number would round one beyond 2^53 before it is written. */
export const bigNumber = (digits: string): Json =>
  // The type library does not know JSON.rawJSON yet; Node has it since version 22.
  (JSON as unknown as { rawJSON(text: string): Json }).rawJSON(digits);
