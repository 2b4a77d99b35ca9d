import { stitchMisses, stitchedRows } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import { firstPageOf } from './page-cover.ts';
import { judge, type RowRange } from './page-judgement.ts';
import type { WantedBounds } from './page-plan.ts';
import { ServedSizes } from './served-sizes.ts';
import type { Source } from './source.ts';
import type { Bounds } from './window.ts';

/** The length of a list, and all the lengths that it reported while it was read. */
interface Torn {
  readonly total: number | null;
  readonly totals: readonly number[];
}

interface Stitched<Row> {
  readonly parts: readonly RowRange<Row>[];
  readonly total: number;
}

/**
 * Reads a range of a list that moves. Each page begins with rows of the page before it, which show how far the list has moved
 * meanwhile. So no row is left out or there twice, however fast the list grows or shrinks. Throws UPSTREAM_ERROR where the list
 * moves too far, and UPSTREAM_BAD_RESPONSE where the pages contradict each other although the list kept its length.
 */
export async function readStitched<Row>(source: Source<Row>, wanted: WantedBounds, torn: Torn): Promise<Stitched<Row>> {
  const totals = [...torn.totals];
  let { total } = torn;
  for (let misses = 0; misses < stitchMisses; misses++) {
    const bounds = total === null ? null : wanted(total);
    if (total === null || bounds === null) break;
    const seam = new Seam(source, bounds.from, total);
    for (let now = wanted(seam.total); isJoined(now, bounds.from, seam.to); now = wanted(seam.total)) {
      if (seam.to >= now.to) return seam.stitched;
      const reported = await seam.readOn(now);
      if (reported === null && ++misses === stitchMisses) break;
      if (reported !== null) totals.push(reported);
    }
    // The range begins at another position: the list has lost rows before it, or has become much longer.
    ({ total } = seam);
  }
  throw neverStill(totals);
}

/** Whether the rows that are wanted now begin among those between two positions, or right behind them. */
function isJoined(now: Bounds | null, from: number, to: number): now is Bounds {
  return now !== null && now.from >= from && now.from <= to;
}

/** Rows that were read one page after another, at their positions of the time when the first page was read. */
class Seam<Row> {
  /** The length of the list then, apart from rows that came or went since behind those that are here. */
  total: number;
  readonly #source: Source<Row>;
  readonly #from: number;
  readonly #rows: Row[] = [];
  readonly #names = new Set<string>();
  /** By how many positions the rows have moved since. */
  #shift = 0;

  constructor(source: Source<Row>, from: number, total: number) {
    this.#source = source;
    this.#from = from;
    this.total = total;
  }

  /** The position behind the last row that is here. */
  get to(): number {
    return this.#from + this.#rows.length;
  }

  get stitched(): Stitched<Row> {
    return { parts: [{ from: this.#from, to: this.to, rows: this.#rows }], total: this.total };
  }

  /** Reads the next page. Returns the length that it reports, or null where the page does not join the rows that are here. */
  async readOn({ to: end }: Bounds): Promise<number | null> {
    const { served = new ServedSizes(this.#source.pageLimit), pageLimit } = this.#source;
    const start = Math.max(0, this.to + this.#shift - Math.min(stitchedRows, this.#rows.length));
    const page = firstPageOf({ from: start, to: Math.max(start, end + this.#shift) + 1 }, served.range);
    const { part, guess, learned, total, contradiction } = judge(
      page,
      await this.#source.fetchPage(page, true),
      pageLimit,
      served,
    );
    if (learned !== null) served.learn(learned, false);
    // Rows that join those before them need no other proof of their positions.
    const shown = part ?? guess?.part ?? { from: start, to: start, rows: [] };
    if (total === null || contradiction !== null) return null;
    const next = this.#rows.length === 0 ? Math.min(this.#from - shown.from, shown.rows.length) : this.#nextIn(shown);
    if (next === null) {
      this.#shift = total - this.total;
      return null;
    }
    if (this.#rows.length > 0) this.#shift = shown.from + next - this.to;
    this.total = total - this.#shift;
    this.#add(shown.rows.slice(next));
    return next < shown.rows.length || shown.to >= total ? total : null;
  }

  #add(rows: readonly Row[]): void {
    for (const row of rows) {
      this.#rows.push(row);
      const identity = this.#source.identityOf(row);
      if (identity !== null) this.#names.add(identity);
    }
  }

  /** The index of the first new row; null where no known row is before it, or a new row is between known ones. */
  #nextIn({ rows }: RowRange<Row>): number | null {
    const isKnown = rows.map((row) => this.#names.has(this.#source.identityOf(row) ?? ''));
    const last = isKnown.lastIndexOf(true);
    return last < 0 || isKnown.slice(isKnown.indexOf(true), last).includes(false) ? null : last + 1;
  }
}

function neverStill(totals: readonly number[]): GatewayError {
  const isOneLength = totals.length > 0 && totals.every((total) => total === totals[0]);
  if (isOneLength)
    return new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: `The upstream's list contradicts itself: it always says ${totals[0]} rows in all, but shows other rows in the same places each time.`,
    });
  return new GatewayError('UPSTREAM_ERROR', {
    message: 'The list kept changing while it was read, so its rows cannot be put together.',
    retryable: true,
  });
}
