/** Characters of a bearer key (interface: "Errors"). */
export const keyLength = 4_096;

/** Bytes from which a body is compressed: a smaller one fits into a packet or two as it is. */
export const compressedFrom = 1_024;

/** Bytes of a body that is compressed at once: it takes some hundred microseconds, as much as a thread takes to begin. */
export const compressedAtOnce = 8_192;

/** Characters of an Accept-Encoding header that is read: browsers send thirty. A longer one is taken to ask for nothing. */
export const acceptEncodingLength = 1_000;

/** Accept headers, and Accept-Encoding headers, whose reading is remembered: clients send few different ones. */
export const rememberedHeaders = 100;

/** Characters of an Accept header whose reading is remembered: a hostile client must not fill the memory. */
export const rememberedAcceptLength = 200;

/** Bytes of pages as a program that builds them writes them: compressed, they are some megabytes. */
export const packedPagesBytes = 67_108_864;

/** Milliseconds for such a program: the longest takes half a second on a machine at rest. */
export const packPagesMs = 60_000;

/** Milliseconds between two looks at the deadlines of operations: a deadline of seconds need not be kept to the millisecond. */
export const deadlineSweepMs = 100;

/** Seconds for which caches may keep the schema. It changes with a release alone, and a generator may see that a little later. */
export const sdlCacheSeconds = 300;

/** Media types of one Accept header that are considered. Browsers and clients send fewer than ten. */
export const acceptRanges = 100;

/** Bytes of a request body: a document with its variables is shorter by far. */
export const requestBody = 1_048_576;

/** Chunks of a request body: each takes Node a microsecond or two, and clients send hundreds of bytes at once. */
export const bodyChunks = 16_384;

/** Bytes of a request body that is always read, however many others are under way: most bodies have fewer. */
export const smallBody = 16_384;

/**
 * Levels of lists and objects in the body of a request that is not small. Arguments have five; what a client adds for itself
 * may have more.
 */
export const bodyDepth = 100;

/**
 * Members, items, lists and objects in the body of a request that is not small. Each reference of `_entities` has three. To
 * parse so many takes some ten milliseconds where each object has a member of another name.
 */
export const bodyValues = 50_000;

/** Bytes of all request bodies that have begun and not ended. Those of honest clients arrive within milliseconds. */
export const bodiesUnderWay = 67_108_864;

/** Requests that wait on one connection behind the one that is served: clients that send ahead have some ten under way. */
export const pipelinedOfConnection = 100;

/** The same on all connections together: a request that waits takes two kilobytes, and up to sixteen for its headers. */
export const pipelinedOfAll = 2_000;

/** Milliseconds from the signal, or the failure, that stops the process to its exit. */
export const stopMs = 10_000;

/** Of these, the last milliseconds in which the log is written; a reader who takes nothing does not keep the process alive. */
export const lastLogMs = 500;

/** The milliseconds before these, from which on workers that have not stopped are ended, so that the last of their log is read. */
export const lastWorkersMs = 250;

/** The first milliseconds of a stop, in which new connections are still served: a load balancer may not know yet. */
export const retiringMs = 500;

/** Milliseconds for a client that connected at the last moment to send its request. */
export const lastRequestMs = 50;

/** Milliseconds from the beginning of the stop after which requests under way are given up: they end with an error. */
export const giveUpMs = 8_500;

/** The same, after which the connections that are left are cut off. */
export const cutOffMs = 9_000;
