/**
 * Every maximum that is fixed and not a setting, each with its reason. Settings with a default stand in `config.ts`.
 * Import a number from here; do not write it again.
 */

// Pages and arguments

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
/** Calls of one `deliveryCounts`, one for each bucket, status and total: three numbers for each hour of a week. */
export const countCalls = 512;
/** Those of them that are under way at once: a quarter of UPSTREAM_MAX_CONCURRENCY by default. */
export const countsAtOnce = 32;
/** Groups of `deliveryFailures` without `first`: the most frequent reasons are the first ones. */
export const failureGroups = 10;

// Start

/** Milliseconds after which a process is ready even where the machine has left it no time to warm up. */
export const mostWarmUpMs = 10_000;
/** Callers of a warm-up, whose requests are under way at once. */
export const warmUpCallers = 8;

// Lists of the API

/** Rows on either side of its own that a cursor remembers, in case its own is gone. */
export const cursorNeighbours = { before: 8, after: 3 } as const;
/** Searches for the row of a cursor that has moved: each time, the list moved again meanwhile. Its page is read once more than that. */
export const anchorSearches = 4;
/** Readings of a range of a list that moves meanwhile, its pages side by side; then they are read one after another. */
export const rangeReadings = 3;
/** Pages that one round of a reading asks for. The widest window has fewer rows: only a length that was made up could ask for more. */
export const pagesOfRound = 1_500;
/** Rounds of one reading. The first finds the list's end; others learn a smaller page size, or show what a page was. */
export const readingRounds = 8;
/** Rows of the page before with which each page of a moving list begins: one of them is still there as a rule. */
export const sharedRows = 3;
/** Readings of a moving list by such pages, one after another: each time, the list had moved further than those rows reach. */
export const stepwiseReadings = 3;
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

// Billing

/** Days of one billing period (REST contract, "Limits"). */
export const billingPeriodDays = 31;
/** Months of one charges history: two years. Each is a call, and a range that begins within a month touches one more. */
export const historyMonths = 24;
/** Characters of a decimal that is added up: with a million digits each addition would take a while. */
export const summandLength = 1_000;
/** The exponent of a decimal that is added up, positive or negative: written out, 1e1000000000 would fill the memory. */
export const summandExponent = 1_000;
/** Milliseconds of work on large reports and bodies at a stretch, by all requests together: ten thousand numbers take ten times that. */
export const sliceMs = 4;
/** Small steps of such work between two looks at the clock: the largest of them takes some ten microseconds. */
export const stepsPerLook = 32;
/** Digits of costs that a sort remembers: sixteen megabytes. The costs of an honest report of any size have fewer. */
export const sortedDigits = 2_000_000;
/** Kinds of cost, and owners of services, by which a report is added up: some thousand objects would be no overview. */
export const totalsPerList = 500;
/** Objects that a pass through a report counts as in the cost of an operation, because it takes as long as they do. */
export const reportPasses = { filtered: 200, addedUp: 1_000 } as const;

// Documents and plans

/** Lines that every document may have, and lines per allowed token above that: comments are no tokens that the parser counts. */
export const documentLines = { least: 1_000, perToken: 1 } as const;
/** Bytes of one file of trusted documents. Manifests of thousands of them have a few million. */
export const operationFileBytes = 67_108_864;
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
/** Characters of code of one compiled operation: sixty fields have six thousand, fragments spread again and again have no end. */
export const planCode = 131_072;
/** Variables in the `@skip` and `@include` of a compiled operation: each combination of their values is compiled for itself. */
export const planSwitches = 4;
/** Bytes of memory that cached documents take: some thousand documents of thirty fields. */
export const documentCacheBytes = 33_554_432;
/** Bytes of memory that cached programs of compiled operations take. All caches together take 64 MiB. */
export const programCacheBytes = 25_165_824;

// Costs

/** Bytes of a report that weigh as much as an object in the cost of an operation: by default, the largest weighs a tenth of LIMIT_COST. */
export const bytesPerObject = 16_384;
/** A report weighs at most one part in so many of LIMIT_COST, so that an operation has room for some, however large they may be. */
export const reportPart = 4;

// Requests

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
/** Levels of lists and objects in a request body that is not small. Arguments have five; what a client adds for itself may have more. */
export const bodyDepth = 100;
/** Members, items, lists and objects in such a body; a reference of `_entities` has three. At worst so many take ten milliseconds. */
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
/** The last of `lastLogMs`: a write that takes longer is one that the system holds. Others are just under way on a busy machine. */
export const logHeldMs = 100;
/** The first milliseconds of a stop, in which new connections are still served: a load balancer may not know yet. */
export const retiringMs = 500;
/** Milliseconds for a client that connected at the last moment to send its request. */
export const lastRequestMs = 50;
/** Milliseconds from the beginning of the stop after which requests under way are given up: they end with an error. */
export const giveUpMs = 8_500;
/** The same, after which the connections that are left are cut off. */
export const cutOffMs = 9_000;

// Responses

/** Levels of a free-form JSON object: JSON.stringify gives up somewhere above two thousand, and the whole response with it. */
export const jsonLevels = 1_000;
/** Errors in one response. The last of them reports how many more there were (interface: "Errors"). */
export const errorsPerResponse = 100;
/** Names of clients that the usage of fields is counted by; with all fields of the schema some ten thousand counts. */
export const namesOfClients = 50;
/** Of these, names that one key may make known. */
export const namesOfOneCaller = 10;
/** Errors of values of one schema coordinate in one response (interface: "Names"). */
export const errorsPerCoordinate = 20;
/** Characters of the errors of one response as JSON, of more than one: a path is as long as the names that the client gave to fields. */
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
/** Pieces of one response (`@defer`, `@stream`); one of more comes whole. For each piece the executor looks through all to come. */
export const piecesPerResponse = 500;
/** Values, and each sixty-four characters of texts, of a large answer that JSON.stringify writes at once: some ten microseconds. */
export const partOfAnswer = 512;
/** Characters of a long text that are written at once. */
export const partOfText = 16_384;
/** Characters of a large answer that become bytes at once. */
export const writtenPiece = 65_536;
/** Bytes of the API's from which an answer is written in slices; of an answer with free-form values, of fewer bytes too. */
export const answeredBytes = 131_072;
/** Items of one list that may each have an error of their own; a list with more is an error itself. Each takes ten microseconds. */
export const failedItems = 1_000;
/** Items of lists within the rows of large bodies that graphql-js completes for one operation: it does so at a stretch. */
export const listedItems = 5_000;

// Calls

/** Words of an Authorization header of another form that may be keys, and are hidden in texts: such headers have one or two. */
export const headerWords = 4;
/** Callers whose key the API is remembered to have taken: some megabytes, and more callers than one process serves at a time. */
export const knownCallers = 20_000;
/** Credentials that the API has accepted and that are kept, so that they are not checked and hashed for each request. */
export const keptCredentials = 4_096;
/** Characters of an Authorization header that is kept: keys have some fifty. */
export const keptCredentialLength = 256;
/** Milliseconds for which a credential is kept, before it is checked and hashed again. */
export const keptCredentialMs = 30_000;
/** All unknown callers together may have this part of what there is for all callers: one in four. */
export const unknownCallersPart = 4;
/** Callers by whom the breaker of one endpoint decides, of some hundred bytes each: a thousand show well whether the endpoint fails. */
export const judgedCallers = 1_000;
/** The part of the slots, one in so many, that a caller leaves to others: sixteen of 128 serve hundreds of short calls a second. */
export const spareSlots = 8;
/** A caller who holds one slot leaves this part free, and one slot more for each that it holds: half of the above. */
export const leastSpareSlots = 16;
/** Used-up rate limits that are remembered, each of a caller at an endpoint, and a quarter of them for unknown callers: some megabytes. */
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
/** Bytes of a body that is read only while there is room (UPSTREAM_MAX_HELD_BYTES). Pages of twenty rows have fewer; 128 such take 8 MB. */
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
/** Bytes that are kept of answers that do not change any more, for all callers together; the oldest goes first. */
export const finalAnswersRoom = 16_777_216;
/** What the smallest of them counts as, in bytes, with all that is kept beside it. */
export const finalAnswerBytes = 4_096;
/** Milliseconds after a call that the API has accepted, in which its caller is shown what is kept. */
export const provenMs = 60_000;
/** Milliseconds for which such a caller waits for a call that is under way, rather than make another. */
export const justNowMs = 50;
/** Bytes of a body that is parsed in a tick of the event loop of its own: so much takes milliseconds. */
export const largeBody = 1_048_576;
/** Bytes of a long text that are decoded at once. */
export const decodedPiece = 65_536;
/** Bytes of a large body between two looks at the clock: they take a tenth of a millisecond to be read. */
export const bytesPerLook = 16_384;
/** Levels of a large body, itself included, whose lists and objects are kept: no field is as deep. */
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
/** Bytes of a part of an answer that is handed on as text: below, a text is cheaper to write; above, it would be copied again. */
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

// Bodies

/** Chunks of a body that are copied together where they are small: as many take fifty kilobytes beside their bytes. */
export const chunksTogether = 256;
/** Bytes of a chunk that is small: to copy that many costs less than to keep them apart. The mean of `chunksTogether` chunks counts. */
export const smallChunk = 1_024;

// Live deliveries

/** A caller may have one of so many parts of all streams, polled lists and WebSockets, so that three others find room. */
export const callerPart = 4;
/** Deliveries that the id of an event remembers one by one: so many make an id of two kilobytes, which fits into a header. */
export const deliveryMarks = 245;
/** Those that it remembers by their number and sum besides. */
export const summedDeliveries = 2_000;
/** Deliveries from the future that are remembered of a list that does not have them any more, so that none is sent twice. */
export const goneDeliveries = 1_000;
/** Milliseconds between two polls of a list that keeps failing: streams go on half a minute after an outage at the latest. */
export const longestPollBackoffMs = 30_000;
/** Of the bytes that wait for readers (SUBSCRIPTION_BUFFER_BYTES), a caller may have one of so many parts. */
export const bufferCallerPart = 4;
/** Milliseconds for which its reader kept a stream waiting before it may end for lack of room. One who takes all needs a few. */
export const blockedMs = 5_000;
/** Bytes that a delivery takes that waits: its objects, and the id of its event, which has two kilobytes at most. */
export const deliveryWeight = 2_048;
/** Bytes that each value of it takes besides its characters. */
export const valueWeight = 32;
/** Of the bytes of finished answers that wait for readers, a caller may have one of so many parts. */
export const readerCallerPart = 4;
/** Bytes of what waits for it that a reader takes in RESPONSE_STALL_TIMEOUT_MS at least: the slowest phone takes ten times that. */
export const leastTaken = 16_384;
/** Bytes that are written to one connection at a time: what the system does not take at once, it takes later at a stretch. */
export const writtenAtOnce = 65_536;
/** Milliseconds between two signs of life: proxies and clients close a connection on which nothing comes for about a minute. */
export const keepAliveMs = 12_000;
/** Events that are written to one stream at a time: each takes the connection some microseconds. */
export const eventsAtOnce = 64;

// WebSockets

/** Operations of one socket at once, streams included: a page has some ten. */
export const socketOperations = 100;
/** Of these, operations that run and are not streams yet. The results of so many may wait for a client that reads nothing. */
export const socketOperationsRunning = 16;
/** Bytes of a message from a client: a document within LIMIT_TOKENS has some thirty thousand. Larger ones can be sent by POST. */
export const socketMessage = 65_536;
/** Fragments of one message, and chunks that wait until a fragment is whole: each takes a hundred bytes besides its own. */
export const socketParts = { fragments: 100, chunks: 1_000 } as const;
/** Characters of the id of an operation, which each of its messages repeats. A UUID has 36. */
export const operationIdLength = 100;
/** Milliseconds for a client to answer the end of its socket, before the connection is cut off. */
export const socketClosingMs = 2_000;

// Tools

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
/** Rows that a call of a tool may ask for: as many of a kilobyte each fill a result. */
export const rowsPerResult = 100;
/** Errors in the result of a tool. A model learns nothing new from more. */
export const errorsPerResult = 10;
/** Characters of the method, the identifier and the progress token of a message. Responses return the last two. */
export const messageNameLength = 200;
/** Members, items, lists and objects of a message: the SDK copies each several times. A query for as much as `nodes` takes has half. */
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
/** Milliseconds for which they may keep the instructions, which state the minute. */
export const instructionsTtlMs = 60_000;
/** Milliseconds between two reports of progress. Hosts give up a call that is silent for a minute. */
export const progressMs = 1_000;
/** Calls of tools that can be cancelled at a time. More connections than that hold no call that anybody waits for. */
export const cancellableCalls = 10_000;

// Replicas

/** Milliseconds that anything waits for the store: no request takes longer than this because of it. */
export const storeWaitMs = 50;
/** Milliseconds for a report that is put away: no request waits for that. */
export const storeWriteMs = 1_000;
/** Milliseconds to connect to the store, and to listen to its channels. */
export const storeConnectMs = 1_000;
/** Bytes that a store may send until it is connected, and for each channel that is listened to: Redis sends a kilobyte, and some words. */
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
/** Limits of others that a replica remembers: some megabytes. */
export const keptNotices = 10_000;
/** Bytes of a notice: names and a sealed number take two hundred. */
export const noticeLength = 1_024;
/** Reports of one caller in the store; one more drops the others. A client pages through one or two at a time. */
export const keptReports = 16;
/** Bytes of a report in the store, sealed: it has to come within the time that a request waits for it. */
export const sharedReport = 1_048_576;
/** Bytes of a shared report as it was read: rows compress to a tenth, and what is opened has to fit into memory. */
export const sharedReportBody = 8_388_608;
/** Shared reports that one worker seals or opens at a time, by threads of its own. Others are not shared, or are read from the API. */
export const reportsUnderWay = 8;
/** Bytes of what a poll has found, in one message; where it is more, the other replicas read the list themselves. */
export const feedEntry = 262_144;
/** Signs of life of the replica that polls, in one poll interval. */
export const signsPerPoll = 2;
/** So many of them may fail to come before another replica polls: both together take less than two poll intervals. */
export const signsMissed = 2.5;
/** Milliseconds between two signs of life: lists that are polled every ten minutes have to be looked after too. */
export const feedSignMs = { least: 100, most: 2_500 } as const;

// Workers

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

// Logs, metrics, traces

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
/** Bytes of lines that are written at once: a write for each line costs more than all else about it. A pipe of Linux takes 65,536. */
export const logPieceBytes = 60_000;
/** Milliseconds that a line waits for others before it is written. */
export const logDelayMs = 250;
/** Bytes of lines that have not been read; further lines are dropped. */
export const unwrittenLogBytes = 16_777_216;
/** Milliseconds in which nothing is written after a write has failed: what is full or gone stays so for a while. */
export const logRetryMs = 1_000;
/** Milliseconds until a full pipe is tried again. Read as fast as it is filled, it passes six megabytes a second. */
export const logUnreadMs = 10;
