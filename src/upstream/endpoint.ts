import type { ArgumentPath, Violation } from '../errors.ts';
import type { Arguments } from './arguments.ts';
import type { WireResponse } from './response/wire-response.ts';

/** One GraphQL argument and the query parameter that it becomes. The same line serves the way back, from an error's source. */
export interface Parameter {
  readonly argument: ArgumentPath;
  /** The exact name on the wire, brackets included, e.g. `filter[connection_name][contains]`. */
  readonly name: string;
  /** For a value that is not sent as it is, e.g. `{ field: "CREATED_AT", direction: "DESC" }` → `-created_at`. */
  readonly format?: (value: never) => string;
}

/** Reads the body of a successful answer; throws UPSTREAM_BAD_RESPONSE where it has not the contract's shape. */
export type Read<Body> = (response: WireResponse) => Body;

/** One REST endpoint as data: where it is, what its arguments become, how its answer is read. */
export interface Endpoint<Body> {
  /** Method and path as the REST contract names them, e.g. `GET /charges_summary`; shown in errors, logs and metrics. */
  readonly name: `GET /${string}`;
  /** The field of the schema that it answers: where a broken promise of its answer as a whole is counted. */
  readonly coordinate: `Query.${string}`;
  /** Relative to the version-2 root, with a leading slash; `{id}` stands for the argument of that name. */
  readonly path: string;
  readonly accept: 'application/json' | 'text/csv';
  readonly parameters: readonly Parameter[];
  /** What an error may call the `{id}` of the path, in snake case. */
  readonly idNames?: readonly string[];
  /** Parameters that no argument decides. */
  readonly constants?: Readonly<Record<string, string>>;
  /** The records of a successful answer; throws UPSTREAM_BAD_RESPONSE where the answer has not the contract's shape. */
  readonly read: Read<Body>;
  /** The same, with the numbers of free-form values digit for digit, which takes longer; where there are such values. */
  readonly readExactly?: Read<Body>;
  /** The promises that an answer breaks although it can be read, given the arguments of its call. */
  violationsIn?(body: Body, args: Arguments): readonly Violation[];
  /** Whether it is a report that clients page through, to be kept for a moment (report-cache.ts). */
  readonly isPagedHere?: boolean;
}

/** An operation that answers page by page (REST contract, "Pagination metadata"). */
export interface ListEndpoint<Row> extends Endpoint<ListBody<Row>> {
  /** The largest `page[size]` that the upstream honours. */
  readonly pageLimit: number;
  /** Where a row's identifier stands. */
  readonly idName: keyof Row & string;
  /** Where the moment stands by which the list is sorted as a rule. */
  readonly timeName: keyof Row & string;
  /** Which way the contract promises the list to run in that time: -1 newest first, 1 oldest first, 0 no promise. */
  readonly timeOrder: (args: Arguments) => -1 | 0 | 1;
  /** The argument that keeps rows newer than a moment out of the list, for a list that grows at its head all the time. */
  readonly newestArgument?: ArgumentPath;
}

/** One page as it came; what `meta` claims is checked where it is used. A row may be anything: the field that shows it checks it. */
export interface ListBody<Row> {
  readonly rows: readonly (Row | null)[];
  readonly meta: ListMeta;
}

/** What a page says of its list and of itself (REST contract, "Pagination metadata"); null where that is no count. */
export interface ListMeta {
  readonly totalResults: number | null;
  readonly totalPages?: number | null;
  readonly pageNumber?: number | null;
  /** At least 1. */
  readonly pageSize: number | null;
}

/** A kind of row that can be asked for by itself: what entity look-ups need to know of it. */
export interface Entity<Row> {
  /** The name of its GraphQL type. */
  readonly type: 'IpConnection' | 'Mission' | 'WebhookDelivery';
  readonly list: ListEndpoint<Row>;
  /** The operation that some deployments offer for one row; the contract does not show it. */
  readonly retrieve: Endpoint<Row>;
  /** What of a row makes it cheap to find again; null where the row has no such thing. */
  readonly hintOf: (row: Row) => string | null;
  /** The arguments of the list that leave little more than the rows with these hints; null where no filter can. */
  readonly narrow: (hints: readonly string[]) => Arguments | null;
}
