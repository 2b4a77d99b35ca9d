import type { ArgumentPath } from '../errors.ts';

/** One GraphQL argument and the query parameter that it becomes. An error's source leads from the parameter to the argument. */
export interface Parameter {
  readonly argument: ArgumentPath;
  /** The exact name on the wire, brackets included, e.g. `filter[connection_name][contains]`. */
  readonly name: string;
  /** For a value that is not sent as it is, e.g. `{ field: "CREATED_AT", direction: "DESC" }` → `-created_at`. */
  readonly format?: (value: never) => string;
  /** Whether it stands for one text: one that the API would read otherwise is refused. */
  readonly isOne?: true;
}

/** Whether the API reads a text of a filter as something else: a comma as any of several, `null` as none. No API gets ill-formed text. */
export function isReadOtherwise(text: string): boolean {
  return (text.includes(',') && text.isWellFormed()) || text === 'null';
}

/** One REST endpoint as data: its path, the parameters of its arguments, and the function that reads its response. */
export interface Endpoint<Body> {
  /** Method and path as the REST contract names them, e.g. `GET /charges_summary`; shown in errors, logs and metrics. */
  readonly name: `GET /${string}`;
  /** The field of the schema that it serves: violations by a response as a whole are counted there. */
  readonly coordinate: `Query.${string}`;
  /** Relative to the version-2 root, with a leading slash; `{id}` stands for the argument of that name. */
  readonly path: string;
  readonly accept: 'application/json' | 'text/csv';
  readonly parameters: readonly Parameter[];
  /** The names that an error may have for the `{id}` of the path, in snake case. */
  readonly idNames?: readonly string[];
  /** Parameters with a fixed value. */
  readonly constants?: Readonly<Record<string, string>>;
  /** Reads the body of a whole response, JSON or the text of a report; throws UPSTREAM_BAD_RESPONSE where it has another shape. */
  readonly read: (body: unknown) => Body;
  /** The member that is a free-form object, wherever it stands. */
  readonly freeForm?: string;
  /** Dates that the answer repeats, as members of these names: where they name another one, it answers another question. */
  readonly repeated?: readonly Parameter[];
  /** Whether it is a report that clients page through, to be kept for a moment (client.ts). */
  readonly isPagedHere?: boolean;
  /**
   * Whether the answer to these arguments does not change any more at a moment, in milliseconds since 1970, so that it may be kept for its
   * caller for long; absent: never.
   */
  isFinal?(args: Arguments, now: number): boolean;
}

/** An endpoint that responds page by page (REST contract, "Pagination metadata"). */
export interface ListEndpoint<Row> extends Endpoint<ListBody<Row>> {
  /** The largest `page[size]` that the upstream honours. */
  readonly pageLimit: number;
  /** The member with a row's identifier. */
  readonly idName: keyof Row & string;
  /** The member with the moment by which the list is sorted as a rule. */
  readonly timeName: keyof Row & string;
  /** The argument that keeps rows newer than a moment out of the list, for a list that grows at its head all the time. */
  readonly newestArgument?: ArgumentPath;
}

/** One page as it came. Its user checks what `meta` claims. A row may be any value: the field that shows it checks it. */
export interface ListBody<Row> {
  readonly rows: readonly (Row | null)[];
  readonly meta: ListMeta;
}

/** What a page reports of its list and of itself (REST contract, "Pagination metadata"); null where that is no count. */
export interface ListMeta {
  readonly totalResults: number | null;
  readonly totalPages?: number | null;
  readonly pageNumber?: number | null;
  /** At least 1. */
  readonly pageSize: number | null;
}

/** A kind of row that can be looked up by its identifier. */
export interface Entity<Row> {
  /** The name of its GraphQL type. */
  readonly type: string;
  readonly list: ListEndpoint<Row>;
  /** The endpoint that some deployments offer for one row; the contract does not show it. */
  readonly retrieve: Endpoint<Row>;
  /** The member with a text by which a filter finds a row again, its hint; null where there is none. */
  readonly hintName: (keyof Row & string) | null;
  /** Arguments of the list that leave little more than the rows with these hints; null where no filter can. */
  readonly narrow: (hints: readonly string[]) => Arguments | null;
}

/** An entity of whatever rows. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyEntity = Entity<any>;

/** GraphQL arguments as they come from the executor, nested input objects included. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The value at a path of nested arguments; undefined where the path leads nowhere. */
export function valueAt(args: unknown, path: ArgumentPath): unknown {
  let value = args;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Arguments)[name];
  }
  return value;
}
