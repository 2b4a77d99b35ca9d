/** Rows of a page without `first` and `last` (interface: "Names"). */
export const defaultPageSize = 20;

/** Rows of one page of a connection, by `first` or `last` (interface: "Names"). It does not depend on the page limits of the API. */
export const largestPageSize = 500;

/** Identifiers in one `nodes`: a client may read the objects of a large page again. */
export const nodesPerField = 500;

/** References in one `_entities`. A router sends the keys of one of its fetches, which are far fewer. */
export const representationsPerField = 10_000;

/** Bytes of UTF-8 in one text argument (interface: "Errors"). An identifier, a cursor or a filter is shorter by far. */
export const argumentTextBytes = 4_096;
