import { longestRetryAfterMs } from '../bounds.ts';
import type { Config } from '../config.ts';
import { gatewayErrorsOf, type GatewayError } from '../errors.ts';
import { directionOf, instantOf, momentOf, type Moment } from '../moment.ts';
import { valueAt, type Arguments } from '../upstream/endpoint.ts';
import { ownedBy, readOwners, type Owners } from '../resources/delivery-owner.ts';
import type { WebhookDeliveryRecord } from '../generated/records.ts';
import { listWebhookDeliveries } from '../resources/webhook-delivery.ts';
import type { Loaders } from '../lists/loaders.ts';
import { isBefore, latestBy, watermarkOf, type Deliveries, type DeliveryMark } from './delivery-window.ts';
import { withOwn } from '../lists/list-source.ts';
import { beyondScan, readThrough } from '../lists/scan.ts';

/** Milliseconds between two polls of a list that keeps failing: streams go on half a minute after an outage at the latest. */
const longestPollBackoffMs = 30_000;

export type DeliveryRecords = readonly WebhookDeliveryRecord[];

/** How deliveries are read for those who follow them. */
export interface ReadingOptions extends Pick<Config, 'subscriptionOverlapMs' | 'upstreamScanPages'> {
  /** The API's present, in milliseconds since 1970; absent: the machine's. */
  readonly now?: () => number;
}

export function presentOf({ now = () => Date.now() }: Pick<ReadingOptions, 'now'>): Moment {
  return momentOf(new Date(now()).toISOString()) ?? '';
}

/**
 * Reads the newest deliveries of a list, as far back as the overlap, in one call where they fit into one page. Where the rows do not run
 * newest first, it asks for those from the newest one's overlap on. Throws QUERY_TOO_COMPLEX where that takes too many calls.
 */
export async function readNewest(args: Arguments, loaders: Loaders, options: ReadingOptions): Promise<DeliveryRecords> {
  let unordered: Moment | null = null;
  const rows = await readThrough(listWebhookDeliveries, args, loaders, options.upstreamScanPages, {
    isEnough(read, total) {
      const now = presentOf(options);
      const moments = read.map((row) => momentOf(row?.started_at)).filter((moment) => moment !== null);
      const from = watermarkOf({ newest: latestBy(now, moments, null) }, options.subscriptionOverlapMs);
      const direction = directionOf(moments);
      if (direction !== -1 && direction !== 0 && read.length < (total ?? Infinity)) unordered = from;
      return unordered !== null || (direction === -1 && isBefore(moments.at(-1) ?? null, from));
    },
  });
  return unordered === null ? rows : [...rows, ...(await readSince(unordered, args, loaders, options))];
}

/**
 * Reads all deliveries of a list that began at a moment or later; the whole list without a moment. Throws QUERY_TOO_COMPLEX where
 * that takes too many calls, after the first call where the list reports its length.
 */
export function readSince(
  watermark: Moment | null,
  args: Arguments,
  loaders: Loaders,
  { upstreamScanPages }: ReadingOptions,
): Promise<DeliveryRecords> {
  const path = ['filter', 'startedAt', 'gte'];
  const [own, from] = [instantOf(valueAt(args, path)), instantOf(watermark)];
  // A later bound of the caller's own stays: deliveries before it are not wanted.
  const isLater = own !== null && from !== null && own.nanoseconds >= from.nanoseconds;
  const bounded = withOwn(args, [[path, isLater ? null : watermark]]);
  return readThrough(listWebhookDeliveries, bounded.args, loaders, upstreamScanPages, {
    ownArguments: bounded.ownArguments,
    isEnough(rows, total, left) {
      const within = rows.length + left;
      if (total !== null && total > within) throw beyondScan(listWebhookDeliveries, upstreamScanPages, within, total);
      return false;
    },
  });
}

/** Chooses the deliveries of one connection, or all of them, from a list that is read again and again. */
export class ConnectionChoice {
  readonly #id: string | null;
  readonly #scanPages: number;
  /** Whether the deliveries of the last reading belong to the connection. */
  #verdicts: ReadonlyMap<DeliveryMark, boolean> = new Map();
  #owners: Owners | null = null;

  /** Null: all deliveries. */
  constructor(connectionId: string | null, { upstreamScanPages }: ReadingOptions) {
    this.#id = connectionId;
    this.#scanPages = upstreamScanPages;
  }

  /** Those that are wanted. It reads the connections where a new delivery names none that is known. */
  async of(deliveries: Deliveries, loaders: Loaders): Promise<Deliveries> {
    if (this.#id === null) return deliveries;
    const known = this.#verdicts;
    const fresh = deliveries.filter(({ mark }) => !known.has(mark)).map(({ record }) => record);
    const chosen = new Set(
      await ownedBy(this.#id, fresh, async (undecided) => {
        const owners = this.#owners;
        if (owners !== null && undecided.every((row) => owners.isNamedBy(row))) return owners;
        return (this.#owners = await readOwners(loaders, this.#scanPages));
      }),
    );
    const verdicts = new Map(deliveries.map(({ mark, record }) => [mark, known.get(mark) ?? chosen.has(record)]));
    this.#verdicts = verdicts;
    return deliveries.filter(({ mark }) => verdicts.get(mark));
  }
}

/**
 * How long to wait after so many failures in a row, in milliseconds; throws the last failure where it will not pass. The wait doubles
 * with each failure, up to half a minute. It has jitter, so that streams that were cut off by one outage do not all come back at one
 * moment. It is never shorter than the upstream asked for.
 */
export function waitAfterFailure(error: unknown, failures: number, pollMs: number): number {
  const errors = gatewayErrorsOf(error);
  // One response that is none passes too, as a page of the edge. A list that contradicts itself has been read again already.
  const isOneResponse = ({ code, details }: GatewayError): boolean =>
    code === 'UPSTREAM_BAD_RESPONSE' && details.upstream?.status !== undefined;
  if (!errors.every((each) => each.retryable || isOneResponse(each))) throw error;
  const backoff = Math.min(Math.max(pollMs, longestPollBackoffMs), pollMs * 2 ** failures);
  const jittered = backoff / 2 + (backoff / 2) * Math.random();
  const retryAfterMs = Math.min((errors[0]?.details.retryAfterSeconds ?? 0) * 1000, longestRetryAfterMs);
  return retryAfterMs + jittered;
}
