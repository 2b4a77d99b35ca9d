/** Milliseconds that anything waits for the store: no request takes longer than this because of it. */
export const storeWaitMs = 50;

/** Milliseconds for what no request waits for: a report that is put away, or the kept notices at the beginning. */
export const storeWriteMs = 1_000;

/** Milliseconds to connect to the store, and to listen to its channels. */
export const storeConnectMs = 1_000;

/**
 * Bytes that a store may send until it is connected, and for each channel that is listened to: Redis sends a kilobyte, and some words for
 * a channel. A part of what the system hands over at once, so that a flood is not even read.
 */
export const storeGreeting = 32_768;
export const channelGreeting = 512;

/** Milliseconds between two signs of life of a store that nobody asks. */
export const storePingMs = 1_000;

/** Milliseconds before the store is tried again: after the first failure, and after many in a row. */
export const storeBackoffMs = { first: 100, longest: 5_000 } as const;

/** Milliseconds that a connection has to hold before an outage counts as over. */
export const stableStoreMs = 5_000;

/** Milliseconds without refusals of one kind after which the next one counts as another outage. */
export const refusalsApartMs = 60_000;

/** Commands that wait for a reply: a store that takes nothing fills no memory. */
export const storeCommands = 1_000;

/** Bytes of those commands. */
export const storeBytes = 16_777_216;

/** Callers whose names and keys in the store are remembered: some hundred bytes each. */
export const fleetCallers = 10_000;

/** Notices that the store keeps, and limits of others that a replica remembers: some megabytes. */
export const keptNotices = 10_000;

/** Bytes of a notice: names and a sealed number take two hundred. */
export const noticeLength = 1_024;

/** Reports of one caller in the store; one more drops the others. A client pages through one or two at a time. */
export const keptReports = 16;

/** Bytes of a report in the store, sealed: it has to come within the time that a request waits for it. */
export const sharedReport = 1_048_576;

/** Bytes of a shared report as it was read: rows compress to a tenth, and what is opened has to fit into memory. */
export const sharedReportBody = 8_388_608;

/** Shared reports that are sealed or opened at a time. Others are not shared, or are read from the API. */
export const reportsUnderWay = 8;

/** Entries in the stream of a feed: a replica that is further behind reads the list itself. */
export const feedEntries = 32;

/** Bytes of one entry; where a poll has found more, the others read the list themselves. */
export const feedEntry = 262_144;

/** Milliseconds that the stream of a feed outlives its last entry at least. */
export const leastStreamMs = 60_000;

/** Looks after a feed in one poll interval. */
export const looksPerPoll = 2;

/** Looks that a lease lasts without a heartbeat of its owner. The next look finds it free: both take less than two poll intervals. */
export const looksPerLease = 2.5;

/** Milliseconds between two looks after a feed: lists that are polled every ten minutes have an owner to be looked after too. */
export const lookMs = { least: 100, most: 2_500 } as const;
