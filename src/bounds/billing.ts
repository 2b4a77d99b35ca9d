/** Days of one billing period (REST contract, "Limits"). */
export const billingPeriodDays = 31;

/** Months of one charges history: two years. Each is a call, and a range that begins within a month touches one more. */
export const historyMonths = 24;

/** Characters of a decimal that is added up: with a million digits each addition would take a while. */
export const summandLength = 1_000;

/** The exponent of a decimal that is added up, positive or negative: written out, 1e1000000000 would fill the memory. */
export const summandExponent = 1_000;

/**
 * Milliseconds for which a report is filtered, sorted or added up at a stretch, by all requests together, before everything else has its
 * turn: a report of ten thousand numbers takes about ten times as long. The same for bodies that are shown from their bytes.
 */
export const sliceMs = 4;

/** Small steps of such work between two looks at the clock: the largest of them takes some ten microseconds. */
export const stepsPerLook = 32;

/**
 * Digits of costs with more than fifteen digits that are remembered while a report is sorted: sixteen megabytes. Costs of fewer digits
 * take eight bytes each, and honest ones have fewer.
 */
export const sortedDigits = 2_000_000;

/** Kinds of cost, and owners of services, by which a report is added up: some thousand objects would be no overview. */
export const totalsPerList = 500;

/** Objects that a pass through a report counts as in the cost of an operation, because it takes as long as they do. */
export const reportPasses = { filtered: 200, addedUp: 1_000 } as const;
