/** A caller may have one of so many parts of all streams and polled lists, so that three others find room. */
export const callerPart = 4;

/** Deliveries that the id of an event remembers: so many make an id of two kilobytes, which fits into a header. */
export const deliveryMarks = 250;

/** Deliveries from the future that are remembered of a list that does not have them any more, so that none is sent twice. */
export const goneDeliveries = 1_000;

/** Milliseconds between two polls of a list that keeps failing: streams go on half a minute after an outage at the latest. */
export const longestPollBackoffMs = 30_000;

/** Of the bytes that wait for readers (SUBSCRIPTION_BUFFER_BYTES), a caller may have one of so many parts. */
export const bufferCallerPart = 4;

/**
 * Milliseconds for which its reader has kept a stream waiting before it may end because there is no room. A reader who takes all that
 * comes keeps it waiting for a few at a time.
 */
export const blockedMs = 5_000;

/** Bytes that a delivery takes that waits: its objects, and the id of its event, which has two kilobytes at most. */
export const deliveryWeight = 2_048;

/** Bytes that each value of it takes besides its characters. */
export const valueWeight = 32;

/** Bytes that are written to one connection at a time: what the system does not take at once, it takes later at a stretch. */
export const writtenAtOnce = 65_536;

/** Events that are written to one stream at a time: each takes the connection some microseconds. */
export const eventsAtOnce = 64;
