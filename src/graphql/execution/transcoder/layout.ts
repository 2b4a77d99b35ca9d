// What a shape begins with. src/transcoder/assembly/shape.ts has the same numbers.
export const kinds = {
  text: 0,
  integer: 1,
  boolean: 2,
  date: 3,
  dateTime: 4,
  decimal: 5,
  freeForm: 6,
  object: 7,
  list: 8,
  union: 9,
  header: 10,
  isSet: 11,
  any: 12,
  window: 13,
  openHeader: 14,
  error: 15,
  errorCode: 16,
  code: 17,
  count: 18,
  newest: 19,
} as const;

/** What is read of a body: the rows of a page, a record, or a record whose members are handed out one by one. */
export const bodies = { page: 0, record: 1, parts: 2 } as const;

/** What stands for a value that is missing or null. */
export const absences = { refused: 0, null: 1, false: 2 } as const;

/** Where a shape stands in the memory. */
export type Shape = number;

/** A member of a record that is looked at. */
export interface Entry {
  readonly name: string;
  readonly shape: Shape;
  readonly absence: (typeof absences)[keyof typeof absences];
}

/** What is computed of the values of a record. src/transcoder/assembly/computation.ts has the same numbers. */
export const computations = { nodeId: 0, sum: 1 } as const;

/** What is computed of the value of an entry, and of that of another one. */
export interface Computation {
  readonly kind: (typeof computations)[keyof typeof computations];
  /** Null where there is no other one. */
  readonly other: number | null;
  /** The text before what a `nodeId` is made of. */
  readonly prefix: string;
}

/** What is written of a record: a text, and behind it the value of an entry, or what is computed of it. */
export interface Emission {
  readonly text: string;
  readonly entry: number;
  readonly computation?: Computation;
}

export interface ObjectShape {
  readonly entries: readonly Entry[];
  readonly emissions: readonly Emission[];
  readonly tail: string;
  readonly kind?: typeof kinds.object | typeof kinds.header | typeof kinds.openHeader | typeof kinds.error;
  /** Of a pair of name and value: the names whose values are hidden, and what is shown in their place. */
  readonly hiding?: Hiding;
}

/** Names in any case, and what is shown in place of their values. */
export interface Hiding {
  readonly names: readonly string[];
  readonly shown: string;
}
