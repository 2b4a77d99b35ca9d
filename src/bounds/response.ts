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
