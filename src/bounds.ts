/**
 * Every maximum that is fixed and not a setting, each with its reason. Settings with a default stand in `config-limits.ts`.
 * Import a number from here; do not write it again.
 */

// Pages of a client, and identifiers

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

// Billing

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
 * turn: a report of ten thousand numbers takes about ten times as long.
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

// Documents and plans (src/limits/, src/graphql/)

/** Lines that every document may have, and lines per allowed token above that: comments are no tokens that the parser counts. */
export const documentLines = { least: 1_000, perToken: 1 } as const;

/** Characters of a name or a number in a document. Errors repeat names, one of them for each operation. */
export const nameLength = 1_024;

/** Characters of a label of `@defer` or `@stream`, which each piece repeats. Those that Relay writes have about a hundred. */
export const labelLength = 200;

/** Repetitions of one field at one place, per allowed alias: an error at the field has as many locations. */
export const repetitionsPerAlias = 5;

/** Fields and values to validate, per allowed token: several operations may share fragments, and each is validated with all of them. */
export const workPerToken = 2;

/** Fields that are compared to find two that cannot be merged. No document within the other limits comes near. */
export const comparedFields = 200_000;

/** Fields of objects that are read to measure a selection of introspection. What tools ask for takes four thousand. */
export const introspectionReads = 15_000;

/**
 * Characters of code of one compiled operation. One of sixty fields has some six thousand; where fragments are spread again and
 * again there is no end to it.
 */
export const planCode = 131_072;

/** Variables in the `@skip` and `@include` of a compiled operation: each combination of their values is compiled for itself. */
export const planSwitches = 4;

/** Bytes of memory that cached documents take: some thousand documents of thirty fields. */
export const documentCacheBytes = 33_554_432;

/** Bytes of memory that cached programs of compiled operations take. All caches together take 64 MiB. */
export const programCacheBytes = 25_165_824;

// Cost (src/limits/)

/** Bytes of a report that weigh as much as an object in the cost of an operation: by default, the largest weighs a tenth of LIMIT_COST. */
export const bytesPerObject = 16_384;

/** A report weighs at most one part in so many of LIMIT_COST, so that an operation has room for some, however large they may be. */
export const reportPart = 4;

// Errors and values of a response

/** Levels of a free-form JSON object: JSON.stringify gives up somewhere above two thousand, and the whole response with it. */
export const jsonLevels = 1_000;

/** Errors in one response. The last of them reports how many more there were (interface: "Errors"). */
export const errorsPerResponse = 100;

/** Hints in one response. A client that needs more of them reads the first. */
export const hintsPerResponse = 20;

/** Errors of values of one schema coordinate in one response (interface: "Names"). */
export const errorsPerCoordinate = 20;

/**
 * Characters that the errors of one response take as JSON, where there is more than one: a path is as long as the names that the
 * client has given its fields.
 */
export const errorsLength = 65_536;

/** Locations in the document that one error names. A field may be selected three thousand times. */
export const locationsPerError = 10;

/** Errors of the variables of one operation. The variables behind them are not checked. */
export const variableErrors = 10;

/** Characters of what the client sent that one message quotes (interface: "Errors"). */
export const quoteLength = 200;

/** Characters of a message that are searched for quotes: its own words, and more than is shown of the quotes. */
export const messageLength = 2_000;

/** Characters of a message besides what it quotes. */
export const messageWords = 300;

/** Levels of lists and objects that a quoted value shows. */
export const quoteLevels = 3;

/**
 * Pieces in which a response comes at most, by `@defer` and `@stream`; a response of more comes whole. Whenever a piece is ready, the
 * executor looks through all that are still to come. A page that is streamed row by row fits.
 */
export const piecesPerResponse = 500;

// Requests and connections (src/http/)

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

/** Bytes of the pages as the program that builds them writes them: compressed, they are some megabytes. */
export const packedPagesBytes = 67_108_864;

/** Milliseconds for that program: it takes half a second on a machine at rest. */
export const packPagesMs = 60_000;

/** Seconds for which caches may keep the schema. It changes with a release alone, and a generator may see that a little later. */
export const sdlCacheSeconds = 300;

/** Media types of one Accept header that are considered. Browsers and clients send fewer than ten. */
export const acceptRanges = 100;

/** Bytes of a request body: a document with its variables is shorter by far. */
export const requestBody = 1_048_576;

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

/** The first milliseconds of a stop, in which new connections are still served: a load balancer may not know yet. */
export const retiringMs = 500;

/** Milliseconds for a client that connected at the last moment to send its request. */
export const lastRequestMs = 50;

/** Milliseconds from the beginning of the stop after which requests under way are given up: they end with an error. */
export const giveUpMs = 8_500;

/** The same, after which the connections that are left are cut off. */
export const cutOffMs = 9_000;

// Tools for agents (src/mcp/)

/** Tools that one gateway has. A model reads the whole list, and hosts take about a hundred. */
export const mostTools = 100;

/** Characters of the name of a tool: hosts put the name of the server before it, and refuse more than 128 in all. */
export const toolNameLength = 64;

/** Characters of the description of a tool: some sentences. */
export const toolDescriptionLength = 2_000;

/** Bytes of one text in the result of a tool. Bodies of deliveries have as many at most. */
export const resultValueBytes = 10_000;

/** Bytes of the data in the result of a tool. Hosts give a result some 25,000 tokens at most. */
export const resultBytes = 100_000;

/** Errors in the result of a tool. A model learns nothing new from more. */
export const errorsPerResult = 10;

/** Characters of the method, the identifier and the progress token of a message. Responses return the last two. */
export const messageNameLength = 200;

/**
 * Members, items, lists and objects of a message. The SDK validates, copies and writes each several times, and some ten thousand
 * would hold up all other requests. A query for as many objects as `nodes` takes has half as many.
 */
export const messageValues = 1_000;

/** Words of one search of the schema that are looked for. */
export const searchWords = 20;

/** Types that one search of the schema finds, besides the fields of the root that lead to them. */
export const foundTypes = 5;

/** Bytes of SDL that one search of the schema returns: a fifth of the schema. */
export const schemaSearchBytes = 8_000;

/** A query of an agent's own may cost one part in so many of LIMIT_COST: it is not reviewed, and its result is read by a model. */
export const freeQueryPart = 4;

/** Milliseconds for which clients may keep the list of tools: it changes when the gateway is started anew. */
export const listTtlMs = 3_600_000;

/** Milliseconds between two reports of progress. Hosts give up a call that is silent for a minute. */
export const progressMs = 1_000;

// Workers (src/workers/)

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

// Calls to the API (src/upstream/)

/** Words of an Authorization header of another form that may be keys, and are hidden in texts: such headers have one or two. */
export const headerWords = 4;

/** Callers whose key the API is remembered to have taken: some megabytes, and more callers than one process serves at a time. */
export const knownCallers = 20_000;

/** All strangers together may have this part of what there is for all callers: one in four. */
export const strangersPart = 4;

/**
 * Callers by whom the breaker of one endpoint judges; more are neither judged nor judged by. Each takes some hundred bytes, and a
 * thousand callers show well whether an endpoint fails.
 */
export const judgedCallers = 1_000;

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

// Reading lists (src/paging/ and src/lists/)

/**
 * Rows on either side of its own that a cursor remembers, in case its own row is gone when it comes back. A page read before is
 * behind the reader, so more of those are remembered. Sizes and pattern of cursors follow from these numbers.
 */
export const cursorNeighbours = { before: 8, after: 3 } as const;

/**
 * How often the row of a cursor is looked for when it has moved; its page is read once more than that. Each time means that
 * the list moved again while it was looked for.
 */
export const anchorSearches = 4;

/** Readings of a range of a list that moves meanwhile; then its pages are joined by the rows that they share. */
export const rangeReadings = 3;

/**
 * Pages that one round of a reading asks for; the next round asks for what they leave out. The widest window has fewer rows than
 * that, so only a length that the upstream made up could ask for more.
 */
export const pagesOfRound = 1_500;

/** Rounds of one reading. The first finds the list's end; each other one has learned a smaller page size or proves a guess. */
export const readingRounds = 16;

/** Rounds of one reading that may end in a contradiction: rows may have come or gone during the first. */
export const contradictoryReadings = 2;

/** Pages that come shorter than they were asked for by their own size; after these the size is halved, or it would go down by ones. */
export const shorterPages = 2;

/** Rows of the page before with which each page of a moving list begins: one of them is still there as a rule. */
export const stitchedRows = 3;

/** Pages of a moving list that begin with none of those rows: each time, the list has moved further than they reach. */
export const stitchMisses = 3;

/** Scans of a list that moves meanwhile. The last scan reads its pages one after another, so growth cannot hide a row. */
export const scansOfList = 3;

/** Rows whose identifiers one tick gathers for a look-up: so many take about a millisecond, and honest operations want fewer. */
export const rowsPerTick = 2_000;

/** Characters of a hint in a `nodeId`. A name may be of any length, and the `nodeId` has to stay within the bound of an argument. */
export const hintLength = 200;

/** Rows of one look-up that are asked for one by one by their hints; for more, one search through a part of the list is cheaper. */
export const hintsOneByOne = 4;

/** Rows in the response to one hint: several rows may share a hint, such as a moment. */
export const hintPageSize = 10;

/** Calls that a hint may take after its first, where more rows share it than one response holds. */
export const pagesOfHint = 2;

/** The part of a look-up's calls that its hints may take: the search through the list keeps half where they lead nowhere. */
export const hintShare = 0.5;

// Live deliveries (src/live/)

/** A caller may have one of so many parts of all streams and polled lists, so that three others find room. */
export const callerPart = 4;

/** Deliveries that the id of an event remembers: so many make an id of two kilobytes, which fits into a header. */
export const deliveryMarks = 250;

/** Deliveries from the future that are remembered of a list that does not have them any more, so that none is sent twice. */
export const goneDeliveries = 1_000;

/** Milliseconds between two polls of a list that keeps failing: streams go on half a minute after an outage at the latest. */
export const longestPollBackoffMs = 30_000;

// Shared state (src/fleet/)

/** Milliseconds that anything waits for the store: no request takes longer than this because of it. */
export const storeWaitMs = 50;

/** Milliseconds for what no request waits for: a report that is put away, or the kept notices at the beginning. */
export const storeWriteMs = 1_000;

/** Milliseconds to connect to the store, and to listen to its channels. */
export const storeConnectMs = 1_000;

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

/** Bytes of the entries of all feeds that the workers of one process share: some thousand deliveries on their way. */
export const memoryStoreBytes = 33_554_432;

/** Bytes of one entry; where a poll has found more, the others read the list themselves. */
export const feedEntry = 262_144;

/** Milliseconds that the stream of a feed outlives its last entry at least. */
export const leastStreamMs = 60_000;

/** Looks after a feed in one poll interval. */
export const looksPerPoll = 2;

/** A lease lasts for so many looks without a beat of its holder. The next look finds it free: both take less than two poll intervals. */
export const looksPerLease = 2.5;

/** Milliseconds between two looks after a feed: lists that are polled every ten minutes have a holder to be looked after too. */
export const lookMs = { least: 100, most: 2_500 } as const;

// The log and the metrics (src/telemetry/)

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

/** Bytes of lines that are written at once: a write for each line costs more than all else that is done about it. */
export const logPieceBytes = 16_000;

/** Milliseconds that a line waits for others before it is written. */
export const logDelayMs = 250;

/** Bytes of lines that have not been read; further lines are dropped. */
export const unwrittenLogBytes = 16_777_216;
