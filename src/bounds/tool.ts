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

/** Calls of tools that can be cancelled at a time. More connections than that hold no call that anybody waits for. */
export const cancellableCalls = 10_000;
