/** Words of an Authorization header of another form that may be keys, and are hidden in texts: such headers have one or two. */
export const headerWords = 4;

/** Callers whose key the API is remembered to have taken: some megabytes, and more callers than one process serves at a time. */
export const knownCallers = 20_000;

/** Credentials that the API has accepted and that are kept, so that they are not checked and hashed for each request. */
export const keptCredentials = 4_096;

/** Characters of an Authorization header that is kept: keys have some fifty. */
export const keptCredentialLength = 256;

/** Milliseconds for which a credential is kept that no request brings again, or up to twice as long. */
export const keptCredentialMs = 30_000;

/** All strangers together may have this part of what there is for all callers: one in four. */
export const strangersPart = 4;

/**
 * Callers by whom the breaker of one endpoint judges; more are neither judged nor judged by. Each takes some hundred bytes, and a
 * thousand callers show well whether an endpoint fails.
 */
export const judgedCallers = 1_000;

/**
 * However long the calls of a caller last, it leaves this part of the slots free for callers who hold fewer: one in eight. So it
 * can use most of an idle gateway, and sixteen of 128 slots serve hundreds of short calls a second.
 */
export const spareSlots = 8;

/** A caller who holds one slot leaves this part free, and one slot more for each that it holds: half of the above. */
export const leastSpareSlots = 16;

/** Callers whose used-up rate limit is remembered, and a quarter of them for strangers: some megabytes. */
export const rateLimitedCallers = 10_000;

/** Milliseconds for which a rate limit of the API is believed: a wrong header must not silence a caller or a stream for a day. */
export const longestRetryAfterMs = 300_000;

/** Milliseconds between two attempts of one call. A longer wait is the client's choice: the error says how long it is. */
export const longestRetryWaitMs = 3_000;

/** Retries that each call allows: a fifth, so that a sick upstream gets a fifth more calls at most. */
export const retriesPerCall = 0.2;

/** Retries a second that are allowed whatever the traffic: without them, a quiet gateway could make none. */
export const retriesPerSecond = 10;

/** Retries that a quiet time saves up: enough for a hiccup, not for a storm. */
export const savedRetries = 10;

/**
 * Bytes of a body that is only read while there is room for it (UPSTREAM_MAX_HELD_BYTES). Pages of twenty rows stay below as a
 * rule, and those below take no more than eight megabytes while 128 of them are under way.
 */
export const heldBody = 65_536;

/** Of the room for bodies, a caller may have so many times what is left for the others. */
export const shareOfRoom = 3;

/**
 * What a held body takes in memory, in bytes: for each of its own while they come and while they are parsed, and for what is
 * made of it, by its length or by how many lists and objects it holds, whichever is more. Lists and reports as the API sends
 * them take less; `{},{},` takes twenty times its length.
 */
export const bodyWeight = { unread: 2, read: 1, perList: 64 } as const;

/** A held body has a list or an object for so many bytes at most, by the length of the largest one. Reports have one for eighty. */
export const bytesPerList = 16;

/** Bytes of a chunk in which lists and objects are counted: the rest of the chunk is taken to be like them. */
export const sampledBytes = 1_024;

/** Bytes of a body that is parsed in a tick of the event loop of its own: so much takes milliseconds. */
export const largeBody = 1_048_576;

/** Bytes of a large body that JSON.parse reads at once: half a millisecond, or a few where they are nothing but brackets. */
export const parsedSlice = 65_536;

/** Bytes of a large body between two looks at the clock: they take some ten microseconds to be looked through. */
export const bytesPerLook = 16_384;

/** Levels of a large body, itself included, whose large lists and objects are kept: no field is as deep. */
export const keptLevels = 32;

/** Members of an object of a large body that are kept whatever their names; records have some thirty. */
export const keptMembers = 1_000;

/** Items that a list of a large body may have in any case; else one for each `bytesPerList` of the body. */
export const leastItems = 2_500_000;

/** Bytes of a part of a free-form value that are copied together with their neighbours; a longer part stays where it is. */
export const copiedPiece = 16_384;

/** Informational responses (1xx) before the real one: servers send one or two, and one that sends them for ever sends nothing else. */
export const interimResponses = 20;

/** Bytes of a streamed body that have come and wait for its reader: twice what the system hands over at once. */
export const streamedAhead = 131_072;

/** Bytes of an error body of a streamed response; a longer one is cut. Errors of the API have some hundred bytes. */
export const errorBody = 1_048_576;

/**
 * Bytes of a part of an answer that is handed on as text; a longer one lies in a buffer. Below, a text is cheaper to make and to
 * write; above, it would be copied once more.
 */
export const answerText = 16_384;

/** Bytes of the smallest and of the largest buffer for parts of answers that is used again. */
export const leastLentBuffer = 32_768;
export const largestLentBuffer = 1_048_576;

/** Bytes of such buffers of one size that are kept for later answers, of six sizes at most. */
export const unlentBytes = 4_194_304;

/** Blanks before the first name of a CSV report; a body that begins with more is none. Reports begin with a name. */
export const leadingBlanks = 4_096;

/** Characters of one text of the API's errors that are shown: its longest are some sentences. */
export const upstreamTextLength = 1_000;

/** Rows of a list: GraphQL's Int has 32 bits, so a longer list has no length that could be shown. */
export const longestList = 2 ** 31 - 1;
