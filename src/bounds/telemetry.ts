/** Names of trusted operations in the metrics; further ones are counted as `other`. Each name has thirty series. */
export const trustedOperationNames = 1_000;

/** Characters of a client's name, of its version, and of a user agent in the log; browsers name themselves in about 120. */
export const clientText = { name: 100, version: 50, userAgent: 200 } as const;

/** Characters of the name of an operation in the log, the metrics and the spans. */
export const shownNameLength = 100;

/** Codes of errors in one span: there are some ten in all. */
export const codesOfSpan = 10;

/** Codes of errors in the record of one request. A stream may fail for days, and the log line names each code once. */
export const codesOfRequest = 10_000;

/** Characters of one text in a span. Names of operations are cut before. */
export const spanText = 256;

/** Characters of a `tracestate` that is continued; each span holds it until it is exported. W3C asks for 512 at least. */
export const traceStateLength = 2_048;

/** Milliseconds that a stop waits for the last spans to be exported. */
export const lastTracesMs = 1_000;

/**
 * Bytes of lines that are written at once: a write for each line costs more than all else that is done about it. A pipe of Linux takes
 * 65,536 at once.
 */
export const logPieceBytes = 60_000;

/** Milliseconds that a line waits for others before it is written. */
export const logDelayMs = 250;

/** Bytes of lines that have not been read; further lines are dropped. */
export const unwrittenLogBytes = 16_777_216;

/** Milliseconds in which nothing is written after a write has failed: what is full or gone stays so for a while. */
export const logRetryMs = 1_000;

/** Milliseconds until a full pipe is tried again. Read as fast as it is filled, it passes six megabytes a second. */
export const logUnreadMs = 10;
