/** Workers of one process: more cores than machines have as a rule. Each takes some eighty megabytes at rest. */
export const mostWorkers = 256;

/** Milliseconds before a worker that has ended is replaced, doubled with each that ends soon, up to the longest. */
export const replacementMs = { first: 100, longest: 30_000 } as const;

/** Milliseconds that a worker must have served before its end counts as the first again. */
export const steadyMs = 60_000;

/** Milliseconds between two questions to a worker whether it lives. */
export const pingMs = 5_000;

/** Questions in a row without an answer after which a worker hangs: no honest work holds the event loop for half a minute. */
export const hungAfterPings = 6;

/** Workers that fail one after another at their start, while none serves, before the process gives up. */
export const failedStarts = 5;

/** Milliseconds for the metrics of a worker: one whose event loop is held is left out, with its figures of the time before. */
export const snapshotMs = 1_000;
