import type { ArgumentPath } from '../errors.ts';
import type { Answer } from './transport.ts';

/** One GraphQL argument and the query parameter that it becomes. The same line serves the way back, from an error's source. */
export interface Parameter {
  readonly argument: ArgumentPath;
  /** The exact name on the wire, brackets included, e.g. `filter[connection_name][contains]`. */
  readonly name: string;
  /** For a value that is not sent as it is, e.g. `{ field: "CREATED_AT", direction: "DESC" }` → `-created_at`. */
  readonly format?: (value: never) => string;
}

/** One REST endpoint as data: where it is, what its arguments become, how its answer is read. */
export interface Operation<Body> {
  /** Method and path as the REST contract names them, e.g. `GET /charges_summary`; shown in errors, logs and metrics. */
  readonly name: `GET /${string}`;
  /** Relative to the version-2 root, with a leading slash. */
  readonly path: string;
  readonly accept: 'application/json' | 'text/csv';
  readonly parameters: readonly Parameter[];
  /** Parameters that no argument decides. */
  readonly constants?: Readonly<Record<string, string>>;
  /** The records of a successful answer; throws UPSTREAM_BAD_RESPONSE where the answer has not the contract's shape. */
  readonly read: (answer: Answer) => Body;
}

/** An operation that answers page by page (REST contract, "Pagination metadata"). */
export interface ListOperation<Row> extends Operation<ListBody<Row>> {
  /** The largest `page[size]` that the upstream honours. */
  readonly pageLimit: number;
}

/** One page as it came; what `meta` claims is checked where it is used. A row may be anything: the field that shows it checks it. */
export interface ListBody<Row> {
  readonly rows: readonly (Row | null)[];
  readonly meta: { readonly totalResults: number | null; readonly pageSize: number | null };
}
