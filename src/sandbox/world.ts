import type { Content, Query, RecordBody } from './list.ts';

/** How much an account holds. */
export interface Account {
  readonly connections: number;
  readonly missions: number;
  readonly deliveries: number;
  readonly numbers: number;
}

/** The accounts that a key may name. A key that names none opens the large one, to which alone deliveries come by themselves. */
export const accounts = {
  large: { connections: 604, missions: 230, deliveries: 12_000, numbers: 1_800 },
  small: { connections: 24, missions: 12, deliveries: 36, numbers: 40 },
  empty: { connections: 0, missions: 0, deliveries: 0, numbers: 0 },
} satisfies Record<string, Account>;

/** The name of an account. */
export type AccountName = keyof typeof accounts;

/** A place in the list of deliveries; `startedAt` in microseconds since 1970. */
export interface Entry<Row> {
  readonly startedAt: number;
  readonly id: () => string;
  readonly row: () => Row;
}

/** What an answer depends on besides its request; moments are microseconds since 1970. */
export interface World {
  readonly now: number;
  /** The moment since which deliveries come live. */
  readonly since: number;
  readonly account: Account;
  /** Those that were made for the account on demand. */
  readonly made: readonly Entry<object>[];
}

/** One endpoint of the API, and the one for a single row where there is one. A file that exports a `route` is served. */
export type Route = { readonly path: string } & (
  | { readonly billing: true; readonly read: (query: Query, world: World) => Content }
  | {
      readonly billing?: undefined;
      readonly list: (query: Query, world: World) => RecordBody;
      /** The row of an identifier; undefined where there is none. */
      readonly find: (id: string, world: World) => unknown;
    }
);
