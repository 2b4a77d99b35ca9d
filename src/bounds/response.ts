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
