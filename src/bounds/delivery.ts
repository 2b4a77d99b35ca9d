/** A caller may have one of so many parts of all streams and polled lists, so that three others find room. */
export const callerPart = 4;

/** Deliveries that the id of an event remembers: so many make an id of two kilobytes, which fits into a header. */
export const deliveryMarks = 250;

/** Deliveries from the future that are remembered of a list that does not have them any more, so that none is sent twice. */
export const goneDeliveries = 1_000;

/** Milliseconds between two polls of a list that keeps failing: streams go on half a minute after an outage at the latest. */
export const longestPollBackoffMs = 30_000;
