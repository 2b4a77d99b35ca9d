import type { ArgumentPath } from '../errors.ts';
import { compareMoments, directionOf, momentOf, type Moment } from '../paging/moment.ts';
import { CallBudget, type Source } from '../paging/source.ts';
import { valueAt, type Arguments } from '../upstream/arguments.ts';
import { listWebhookDeliveries, type WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import type { Loaders } from '../lists/loaders.ts';
import { beginningOf, isBefore, millisecondsOf, watermarkOf, type DeliveryRows } from './delivery-window.ts';
import { listSource } from '../lists/list-source.ts';
import { beyondScan, scanList, scanStill } from '../lists/scan.ts';

/** How deliveries are read for those who follow them. */
export interface ReadingOptions {
  /** How late a delivery may appear and still be sent, in milliseconds by when it began. */
  readonly overlapMs: number;
  /** How many calls one reading of the list may take. */
  readonly scanPages: number;
}

/**
 * Reads the newest deliveries of a list, as far back as the overlap, in one call where they fit into one page. It reads the whole
 * list where the rows do not show that it runs newest first. Throws QUERY_TOO_COMPLEX where that takes too many calls.
 */
export function readNewest(
  args: Arguments,
  loaders: Loaders,
  options: ReadingOptions,
  clock: ListClock,
): Promise<DeliveryRows> {
  const source = sourceOf({ args, ownArguments: [] }, loaders, options);
  return read(source, (rows) => {
    clock.check(rows);
    const now = clock.now();
    const moments = rows.map(beginningOf).filter((moment) => moment !== null);
    const newest = moments.find((moment) => !isBefore(now, moment)) ?? null;
    const from = watermarkOf({ newest }, options.overlapMs);
    return directionOf(moments) === -1 && isBefore(moments.at(-1) ?? null, from);
  });
}

/**
 * Reads all deliveries of a list that began at a moment or later; the whole list without a moment. Throws QUERY_TOO_COMPLEX where
 * that takes too many calls, after the first call where the list reports its length.
 */
export function readSince(
  watermark: Moment | null,
  args: Arguments,
  loaders: Loaders,
  options: ReadingOptions,
): Promise<DeliveryRows> {
  const asked = watermark === null ? { args, ownArguments: [] } : since(watermark, args);
  const source = sourceOf(asked, loaders, options);
  return read(source, (rows, total) => {
    const within = rows.length + source.budget.left * source.sizes.most;
    if (total !== null && total > within) throw beyondScan(listWebhookDeliveries, options.scanPages, within, total);
    return false;
  });
}

interface Asked {
  readonly args: Arguments;
  readonly ownArguments: readonly ArgumentPath[];
}

type DeliverySource = Source<WebhookDeliveryRecord | null> & { readonly budget: CallBudget };

function sourceOf({ args, ownArguments }: Asked, loaders: Loaders, { scanPages }: ReadingOptions): DeliverySource {
  const budget = new CallBudget(scanPages);
  return { ...listSource(listWebhookDeliveries, args, loaders, { budget, ownArguments }), budget };
}

async function read(
  source: DeliverySource,
  isEnough: (rows: DeliveryRows, total: number | null) => boolean,
): Promise<DeliveryRows> {
  const scanned = await scanStill<WebhookDeliveryRecord | null>((how) => scanList(source, { isEnough, ...how }));
  const { outcome, rows, total } = scanned;
  // Deliveries behind these would be lost without notice.
  if (outcome === 'exhausted') throw beyondScan(listWebhookDeliveries, source.budget.limit, rows.length, total);
  return rows;
}

/** Arguments with the watermark as their bound. A later bound of the caller's own stays: deliveries before it are not wanted. */
function since(watermark: Moment, args: Arguments): Asked {
  const filter = valueAt(args, ['filter']) as Arguments | null | undefined;
  const startedAt = valueAt(filter, ['startedAt']) as Arguments | null | undefined;
  const own = startedAt?.['gte'];
  const isLater = typeof own === 'string' && Date.parse(own) >= Date.parse(watermark);
  const gte = isLater ? own : watermark;
  return {
    args: { ...args, filter: { ...filter, startedAt: { ...startedAt, gte } } },
    ownArguments: isLater ? [] : [['filter', 'startedAt', 'gte']],
  };
}

/** The clock by which the deliveries of a list are dated. */
export interface ListClock {
  now(): Moment;
  /** Sets the clock by rows where it is certainly wrong: where they fill a page and all are from the future. */
  check(rows: DeliveryRows): void;
}

/** A clock that begins as the machine's, in milliseconds since 1970. */
export function createListClock(readClock: () => number = Date.now): ListClock {
  let behindMs = 0;
  const now = (): Moment => momentAt(readClock() + behindMs);
  return {
    now,
    check(rows) {
      if (rows.length < listWebhookDeliveries.pageLimit) return;
      const moments = rows.map(beginningOf).filter((moment) => moment !== null);
      const present = now();
      if (moments.length === 0 || !moments.every((moment) => isBefore(present, moment))) return;
      // The median, because single rows may have any date.
      const middle = moments.toSorted(compareMoments)[Math.floor(moments.length / 2)] ?? present;
      behindMs = millisecondsOf(middle) - readClock();
    },
  };
}

/** The moment of a time in milliseconds since 1970. */
function momentAt(milliseconds: number): Moment {
  return momentOf(new Date(milliseconds).toISOString()) ?? '';
}
