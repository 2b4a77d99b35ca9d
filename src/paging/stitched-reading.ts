import { GatewayError } from '../errors.ts';
import { coverOf } from './page-cover.ts';
import { judge, type Part } from './page-judgement.ts';
import type { PageLedger, Wanted } from './page-ledger.ts';
import { unknownSizes } from './served-sizes.ts';
import type { Source } from './source.ts';
import type { Bounds } from './window.ts';

// Rows of the page before that each page begins with: it goes on where one of them stands now.
const overlap = 3;
const mostMisses = 3;

/** Rows read one page after another, as if the list had stood still since the first of them. */
interface Stitched<Row> {
  readonly rows: Row[];
  readonly names: Set<string>;
  /** By how many places the rows have moved since the first page was read. */
  shift: number;
  /** The length of the list when its first page was read, but for what came or went since behind the rows that are here. */
  total: number;
}

/**
 * Reads a stretch of a list that moves: each page begins with rows of the one before it, which show by how much the list has
 * moved meanwhile. So none is left out and none is there twice, however fast the list grows or shrinks. Throws UPSTREAM_ERROR,
 * or UPSTREAM_BAD_RESPONSE where the pages contradict each other though the list has always been of one length.
 */
export async function readStitched<Row>(
  source: Source<Row>,
  wanted: Wanted,
  torn: PageLedger<Row>,
): Promise<{ readonly parts: readonly Part<Row>[]; readonly total: number }> {
  const bounds = torn.total === null ? null : wanted(torn.total);
  if (torn.total === null || bounds === null) throw neverStill(torn.totals);
  const { from } = bounds;
  const totals = [...torn.totals];
  const read: Stitched<Row> = { rows: [], names: new Set(), shift: 0, total: torn.total };
  for (let misses = 0; from + read.rows.length < endOf(wanted, read.total, bounds);) {
    const isJoined = await readNext(source, from, endOf(wanted, read.total, bounds), read, totals);
    if (!isJoined && ++misses === mostMisses) throw neverStill(totals);
  }
  return { parts: [{ from, to: from + read.rows.length, rows: read.rows }], total: read.total };
}

function endOf(wanted: Wanted, total: number, fallback: Bounds): number {
  return (wanted(total) ?? fallback).to;
}

/** Reads on by one page; false where it does not go on from the rows that are here. */
async function readNext<Row>(
  source: Source<Row>,
  from: number,
  end: number,
  read: Stitched<Row>,
  totals: number[],
): Promise<boolean> {
  const served = source.served ?? unknownSizes(source.pageLimit);
  const known = Math.min(overlap, read.rows.length);
  const start = Math.max(0, from + read.rows.length + read.shift - known);
  const [page] = coverOf({ from: start, to: Math.max(start, end + read.shift) + 1 }, served.range);
  if (page === undefined) return false;
  const { part, range, total } = judge(page, await source.fetchPage(page, true), source.pageLimit, served.range);
  if (range !== null) served.range = range;
  if (total !== null) totals.push(total);
  if (part === null || total === null) return false;
  const next = nextIn(source, part, known === 0 ? from : null, read.names);
  if (next === null) {
    read.shift += total - read.shift - read.total;
    return false;
  }
  read.shift = part.from + next - (from + read.rows.length);
  read.total = total - read.shift;
  for (const row of part.rows.slice(next)) {
    read.rows.push(row);
    read.names.add(nameOf(source, row, read.rows.length));
  }
  return next < part.rows.length || part.to >= total;
}

/** The index in a page of the first row that is new; null where the page holds none of those before it, or one out of turn. */
function nextIn<Row>(
  source: Source<Row>,
  { from, rows }: Part<Row>,
  head: number | null,
  names: ReadonlySet<string>,
): number | null {
  if (head !== null) return Math.min(Math.max(0, head - from), rows.length);
  const isKnown = rows.map((row) => names.has(source.identityOf(row) ?? ''));
  const last = isKnown.lastIndexOf(true);
  return last < 0 || isKnown.slice(isKnown.indexOf(true), last).includes(false) ? null : last + 1;
}

function nameOf<Row>({ identityOf }: Source<Row>, row: Row, place: number): string {
  return identityOf(row) ?? `without a name ${place}`;
}

function neverStill(totals: readonly number[]): GatewayError {
  const isOneLength = totals.length > 0 && totals.every((total) => total === totals[0]);
  if (isOneLength)
    return new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: `The upstream's list contradicts itself: it always says ${totals[0]} rows in all, but shows the same row in different places.`,
    });
  return new GatewayError('UPSTREAM_ERROR', {
    message: 'The list kept changing while it was read, so its rows cannot be put together.',
    retryable: true,
  });
}
