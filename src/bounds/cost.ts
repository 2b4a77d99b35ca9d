/** Bytes of a report that weigh as much as an object in the cost of an operation: by default, the largest weighs a tenth of LIMIT_COST. */
export const bytesPerObject = 16_384;

/** A report weighs at most one part in so many of LIMIT_COST, so that an operation has room for some, however large they may be. */
export const reportPart = 4;
