import { directionOf, timestampOf, type Moment } from '../paging/moment.ts';
import { valueAt, type Arguments } from '../upstream/arguments.ts';
import { listWebhookDeliveries } from '../upstream/operations/webhook-delivery.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { beginningOf, isBefore, watermarkOf, type DeliveryRows } from './delivery-window.ts';
import type { ListClock } from './list-clock.ts';
import { beyondScan, scanList, scanStill } from './scan.ts';

/** How deliveries are read for those who follow them. */
export interface ReadingOptions {
  /** How late a delivery may appear and still be sent, in milliseconds by when it began. */
  readonly overlapMs: number;
  /** How many pages of the list may be read at once. */
  readonly scanPages: number;
}

/**
 * Reads the newest deliveries of a list, as far back as the overlap, in one call where they fit into one page. Where the rows
 * do not show that the list runs newest first it is read whole. Throws QUERY_TOO_COMPLEX where that is too long.
 */
export function readNewest(
  args: Arguments,
  loaders: Loaders,
  options: ReadingOptions,
  clock: ListClock,
): Promise<DeliveryRows> {
  return read(args, loaders, options, (rows) => {
    clock.check(rows);
    const now = clock.now();
    const moments = rows.map(beginningOf).filter((moment) => moment !== null);
    const newest = moments.find((moment) => !isBefore(now, moment)) ?? null;
    const from = watermarkOf({ newest }, options.overlapMs);
    return directionOf(moments) === -1 && isBefore(moments.at(-1) ?? null, from);
  });
}

/**
 * Reads all deliveries of a list that began at a moment or later; the whole list where there is none. Throws QUERY_TOO_COMPLEX
 * where that is too long, after one call where the list tells its length.
 */
export function readSince(
  watermark: Moment | null,
  args: Arguments,
  loaders: Loaders,
  options: ReadingOptions,
): Promise<DeliveryRows> {
  const { scanPages } = options;
  return read(watermark === null ? args : since(watermark, args), loaders, options, (_rows, total) => {
    if (total !== null && total > scanPages * listWebhookDeliveries.pageLimit)
      throw beyondScan(listWebhookDeliveries, scanPages, total);
    return false;
  });
}

async function read(
  args: Arguments,
  loaders: Loaders,
  { scanPages }: ReadingOptions,
  isEnough: (rows: DeliveryRows, total: number | null) => boolean,
): Promise<DeliveryRows> {
  let rows: DeliveryRows = [];
  const { outcome, total } = await scanStill((fresh) => {
    rows = [];
    const visit = (more: DeliveryRows, length: number | null): boolean => isEnough((rows = [...rows, ...more]), length);
    return scanList(listWebhookDeliveries, args, loaders, scanPages, visit, fresh);
  });
  // What lies behind would be passed over without a word.
  if (outcome === 'exhausted') throw beyondScan(listWebhookDeliveries, scanPages, total);
  return rows;
}

/** The caller's own bound stays where it is the later one: what is before it is not theirs to see. */
function since(watermark: Moment, args: Arguments): Arguments {
  const filter = valueAt(args, ['filter']) as Arguments | null | undefined;
  const startedAt = valueAt(filter, ['startedAt']) as Arguments | null | undefined;
  const own = startedAt?.['gte'];
  const from = timestampOf(watermark);
  const gte = typeof own === 'string' && Date.parse(own) >= Date.parse(from) ? own : from;
  return { ...args, filter: { ...filter, startedAt: { ...startedAt, gte } } };
}
