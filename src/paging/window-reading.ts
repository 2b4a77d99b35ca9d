import { GatewayError } from '../errors.ts';
import type { Anchor } from './anchor.ts';
import { readFromAnchor, type WindowAt, type WindowSources } from './anchored-reading.ts';
import { BudgetSpent, CallBudget } from './call-budget.ts';
import { readRange } from './read-range.ts';
import { cutAt, readingOf, type Reading } from './reading.ts';
import { ServedSizes } from './served-sizes.ts';
import { isShown, shownRange } from './shown-range.ts';
import type { Source } from './source.ts';
import { callsOfWindow } from './window-calls.ts';
import { boundsOf, type Window } from './window.ts';

/**
 * Reads the page that a window asks for. A cursor's own row is read again together with the page, in one call while nothing has
 * moved: the row at its old position proves that. Otherwise the row is looked for (`findAnchor`, which may take `searchCalls`
 * calls) and the page read from where the row is now, so that no row is repeated or skipped when others come and go. The page
 * itself takes at most one call for each of its rows, in case the upstream serves them one by one.
 */
export async function readWindow<Row>(window: Window, source: Source<Row>, searchCalls: number): Promise<Reading<Row>> {
  const shared = { ...source, served: new ServedSizes(source.pageLimit) };
  const sources = {
    rows: withBudget(shared, callsOfWindow(window, source.pageLimit)),
    search: withBudget(shared, searchCalls),
  };
  try {
    return await readPage(window, sources);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: `The upstream's pages hold so few rows, or contradict each other so often, that ${sources.rows.budget.limit} calls did not read this page.`,
    });
  }
}

/** The length of a list, as a page of one row reports it; null where it does not. */
export async function readTotal<Row>(source: Source<Row>): Promise<number | null> {
  // The caller has asked for no page, so no error blames an argument for this one.
  const own: Source<Row> = { ...source, fetchPage: (page, fresh) => source.fetchPage(page, fresh) };
  const { total } = await readRange(own, () => ({ from: 0, to: 0 }));
  return total;
}

/** A source that makes at most so many calls. */
function withBudget<Row>(source: Source<Row>, calls: number): Source<Row> & { readonly budget: CallBudget } {
  const budget = new CallBudget(calls);
  return {
    ...source,
    budget,
    fetchPage(page, fresh, isGiven) {
      try {
        budget.spend();
      } catch (error) {
        return Promise.reject(error);
      }
      return source.fetchPage(page, fresh, isGiven);
    },
  };
}

function readPage<Row>(window: Window, sources: WindowSources<Row>): Promise<Reading<Row>> {
  const isByPosition = window.after === null && window.before === null;
  return isByPosition ? readWithoutAnchor(window, sources.rows) : readByCursor(window, sources);
}

async function readByCursor<Row>(window: Window, sources: WindowSources<Row>): Promise<Reading<Row>> {
  const { rows: source } = sources;
  const { after, before } = window;
  const isCrossed = after !== null && before !== null && fromEnd(before) <= fromEnd(after);
  const { first, last } = isCrossed ? { first: 0, last: null } : window;
  if (after !== null && (first !== null || before === null)) {
    const windowAt = windowBehind({ ...window, first, last });
    const reading = await readFromAnchor(after, 'after', windowAt, sources);
    if (reading !== null) return before === null ? reading : cutAt(before, 'before', reading, source, last);
  }
  if (before !== null && first === null) {
    const windowAt: WindowAt = (boundary) => ({ lower: 0, upper: boundary, first, last });
    const reading = await readFromAnchor(before, 'before', windowAt, sources);
    if (reading !== null) return after === null ? reading : cutAt(after, 'after', reading, source, null);
  }
  return readWithoutAnchor({ ...window, first, last }, source);
}

/** Reads by position, and cuts the page at the cursors where their rows are in it. */
async function readWithoutAnchor<Row>(window: Window, source: Source<Row>): Promise<Reading<Row>> {
  const { first, last, after, before, offset } = window;
  const positioned = { lower: offset, upper: null, first, last: before === null ? last : null };
  const range = await readRange(source, (total) => boundsOf(positioned, total));
  const reading = readingOf(isShown(range, positioned) ? range : shownRange(range, positioned), source, null);
  if (before !== null) return cutAt(before, 'before', reading, source, last);
  return after === null ? reading : cutAt(after, 'after', reading, source, null);
}

/** The position of a cursor counted from the list's end, by which two cursors compare: lists grow at the head as a rule. */
function fromEnd({ position, total }: Anchor): number {
  return position - (total ?? 0);
}

/** The page behind a boundary. `last` beside `before` is cut later from the rows that `first` brings. */
function windowBehind({ first, last, before }: Window): WindowAt {
  return (boundary) => ({ lower: boundary, upper: null, first, last: before === null ? last : null });
}
