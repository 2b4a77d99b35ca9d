import { boundsOfPage, coverOf, firstPageOf, uncovered, type Page } from './page-cover.ts';
import type { PageLedger } from './page-ledger.ts';
import type { Bounds } from './window.ts';

/** The bounds to read, given the list's length; null while the length must be known first. */
export type WantedBounds = (total: number | null) => Bounds | null;

/** Rows around the wanted ones that are read along as long as they cost no further call. */
export interface Margin {
  readonly before: number;
  readonly after: number;
}

/** No rows besides the wanted ones. */
export const noMargin: Margin = { before: 0, after: 0 };

/**
 * The pages of the wanted bounds that are still missing; none where all rows are there. No page depends on the response for
 * another. Throws UPSTREAM_BAD_RESPONSE where the list contradicts itself too often, or where its end is wanted and it does not
 * say how long it is.
 */
export function missingPages<Row>(
  ledger: PageLedger<Row>,
  wanted: WantedBounds,
  margin: Margin = noMargin,
): readonly Page[] {
  const { total, end, unsure } = ledger;
  const bounds = wanted(total);
  if (ledger.isEmpty) return firstPages(ledger, bounds, margin);
  if (bounds === null) return pagesTowardsEnd(ledger);
  const to = Math.min(bounds.to, total ?? Infinity, end.ceiling);
  const gaps = uncovered({ from: bounds.from, to }, ledger.parts);
  if (gaps.length === 0) return unsure === null || bounds.from === bounds.to ? [] : [{ number: 1, size: unsure.to }];
  ledger.contradictions.beginReading();
  const proof = end.proof();
  if (proof !== null) return proof;
  const [gap] = gaps;
  // Where the reported length was refuted, all pages behind the next one may lie behind the list's end.
  const isUncertain = end.isOpen || (total === null && ledger.totals.length > 0);
  if (isUncertain && gap !== undefined) return [firstPageOf(gap, ledger.served.range)];
  return gaps.flatMap((each) => coverOfGap(ledger, each));
}

/**
 * The next pages behind the rows that are there from the head on, at most so many; throws as `missingPages` does. They are
 * whole pages: the last one shows whether the list is longer than it says.
 */
export function nextPages<Row>(ledger: PageLedger<Row>, most: number): readonly Page[] {
  const { covered, total, end, parts } = ledger;
  const size = ledger.served.range.most;
  if (ledger.isEmpty) return [{ number: 1, size }];
  const to = Math.min(total ?? Infinity, end.ceiling);
  if (covered >= to) return [];
  ledger.contradictions.beginReading();
  const proof = end.proof();
  if (proof !== null) return proof;
  const first = Math.floor(covered / size) + 1;
  const pages = Array.from({ length: end.isOpen ? 1 : most }, (_, index) => ({ number: first + index, size }));
  return pages.filter((page) => boundsOfPage(page).from < to && uncovered(boundsOfPage(page), parts).length > 0);
}

function firstPages<Row>(ledger: PageLedger<Row>, bounds: Bounds | null, { before, after }: Margin): readonly Page[] {
  const { range } = ledger.served;
  // The length must be known first. The largest page makes this the only call for a list that fits into it.
  if (bounds === null) return [{ number: 1, size: range.most }];
  if (bounds.from === bounds.to) return [{ number: 1, size: range.least }];
  const pages = coverOf(bounds, range);
  if (before === 0 && after === 0) return pages;
  const wider = coverOf({ from: Math.max(0, bounds.from - before), to: bounds.to + after }, range);
  return wider.length <= pages.length ? wider : pages;
}

/** Up to the end of the list it takes in the position behind the end, where that costs no further call: it should be empty. */
function coverOfGap<Row>({ total, served }: PageLedger<Row>, { from, to }: Bounds): readonly Page[] {
  const pages = coverOf({ from, to }, served.range);
  if (to !== total) return pages;
  const wider = coverOf({ from, to: to + 1 }, served.range);
  return wider.length <= pages.length ? wider : pages;
}

function pagesTowardsEnd<Row>(ledger: PageLedger<Row>): readonly Page[] {
  const { covered, end, lastPage, contradictions } = ledger;
  const { most } = ledger.served.range;
  const wasFutile = contradictions.beginReading();
  const proof = end.proof();
  if (proof !== null) return proof;
  if (end.isOpen) return coverOf({ from: covered, to: covered + 1 }, { least: most, most });
  const page = lastPage !== null && lastPage.size <= most ? lastPage : { number: 1, size: most };
  if (wasFutile || !ledger.hasAsked(page)) return [page];
  throw contradictions.failure('The upstream does not say how long this list is, so its end cannot be found.');
}
