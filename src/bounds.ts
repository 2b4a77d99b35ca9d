/**
 * The fixed maxima that several files read, each with its reason. One with a single reader stands beside it, and a setting with its
 * default in `config.ts`.
 */

// Pages and arguments

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

// Lists of the API

/** Searches for the row of a cursor that has moved: each time, the list moved again meanwhile. Its page is read once more than that. */
export const anchorSearches = 4;

// Billing

/** Months of one charges history: two years. Each is a call, and a range that begins within a month touches one more. */
export const historyMonths = 24;

// Requests

/** Bytes of a request body: a document with its variables is shorter by far. */
export const requestBody = 1_048_576;
/** Milliseconds from the signal, or the failure, that stops the process to its exit. */
export const stopMs = 10_000;
/** Of these, the last milliseconds in which the log is written; a reader who takes nothing does not keep the process alive. */
export const lastLogMs = 500;
/** The same, after which the connections that are left are cut off. */
export const cutOffMs = 9_000;

// Responses

/** Levels of a free-form JSON object: JSON.stringify gives up somewhere above two thousand, and the whole response with it. */
export const jsonLevels = 1_000;
/** Errors in one response. The last of them reports how many more there were (interface: "Errors"). */
export const errorsPerResponse = 100;
/** Characters of what the client sent that one message quotes (interface: "Errors"). */
export const quoteLength = 200;
/** Characters of a message that are searched for quotes: its own words, and more than is shown of the quotes. */
export const messageLength = 2_000;

// Calls

/** All unknown callers together may have this part of what there is for all callers: one in four. */
export const unknownCallersPart = 4;
/** Milliseconds for which a rate limit of the API is believed: a wrong header must not silence a caller or a stream for a day. */
export const longestRetryAfterMs = 300_000;
/** Bytes of a body that is parsed in a tick of the event loop of its own: so much takes milliseconds. */
export const largeBody = 1_048_576;
/** Rows of a list: GraphQL's Int has 32 bits, so a longer list has no length that could be shown. */
export const longestList = 2 ** 31 - 1;

// Live deliveries

/** A caller may have one of so many parts of all streams, polled lists and WebSockets, so that three others find room. */
export const callerPart = 4;
/** Bytes that are written to one connection at a time: what the system does not take at once, it takes later at a stretch. */
export const writtenAtOnce = 65_536;
/** Milliseconds between two signs of life: proxies and clients close a connection on which nothing comes for about a minute. */
export const keepAliveMs = 12_000;

// Replicas

/** Milliseconds that anything waits for the store: no request takes longer than this because of it. Tests on busy machines wait longer. */
export const storeWaitMs = 50;
