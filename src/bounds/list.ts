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

/** Readings of a range of a list that moves meanwhile, its pages side by side; then they are read one after another. */
export const rangeReadings = 3;

/**
 * Pages that one round of a reading asks for; the next round asks for what they leave out. The widest window has fewer rows than
 * that, so only a length that the upstream made up could ask for more.
 */
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
