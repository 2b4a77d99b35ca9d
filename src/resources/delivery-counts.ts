import { badArgument, GatewayError, type ArgumentPath, type ViolationKind } from '../errors.ts';
import type { DeliveryBucketRecord, WebhookDeliveryRecord } from '../generated/records.ts';
import type { Interval, QueryResolvers, WebhookDeliveryFilter } from '../generated/schema.ts';
import { createSelectionCheck, type Values } from '../graphql/document.ts';
import { boundOf, compareMoments, instantOf, momentOf } from '../moment.ts';
import { nothing, someCalls, someObjects, sum, type Estimate } from '../limits/field-cost.ts';
import { withOwn } from '../lists/list-source.ts';
import type { Loaders } from '../lists/loaders.ts';
import { allInOrder } from '../paging/source.ts';
import { totalFault } from '../paging/pages-read.ts';
import { givenAt } from '../upstream/call.ts';
import { isReadOtherwise, valueAt, type Arguments } from '../upstream/endpoint.ts';
import type { Resource } from './resource.ts';
import { ignoresFilter, listWebhookDeliveries, shownStatuses, statusArgument } from './webhook-delivery.ts';

/** Calls of one `deliveryCounts`, one for each bucket, status and total: three numbers for each hour of a week. */
export const countCalls = 512;

/** Those of them that are under way at once: a quarter of UPSTREAM_MAX_CONCURRENCY by default. */
const countsAtOnce = 32;

const selectsTotal = createSelectionCheck('total');
const selectsStatuses = createSelectionCheck('byStatus');

/** Counts by calls for one row each, some side by side. One that fails fails all: a gap would look like a time without deliveries. */
const deliveryCounts: QueryResolvers['deliveryCounts'] = async (_root, args, { loaders }, info) => {
  checkFilter(args.filter);
  const range = rangeOf(args) ?? refuseRange(args.startedAt);
  const statuses = statusesOf(args);
  checkSize(range, statuses);
  const wanted: WantedCounts = {
    filter: args.filter,
    hasTotal: selectsTotal(info),
    statuses: selectsStatuses(info) ? statuses : [],
  };
  const perBucket = wanted.statuses.length + (wanted.hasTotal ? 1 : 0);
  const width = Math.max(1, Math.floor(countsAtOnce / Math.max(1, perBucket)));
  const spans = spansOf(range);
  const buckets: DeliveryBucketRecord[] = [];
  while (buckets.length < spans.length) {
    const together = spans.slice(buckets.length, buckets.length + width);
    buckets.push(...(await allInOrder(together.map((span) => readBucket(span, wanted, loaders)))));
  }
  return { buckets };
};

/** What of each bucket is counted. */
interface WantedCounts {
  readonly filter: WebhookDeliveryFilter | null | undefined;
  readonly hasTotal: boolean;
  readonly statuses: readonly string[];
}

/** Filters that must be left out, and why. */
const refusedFilters: readonly (readonly [path: ArgumentPath, reason: string])[] = [
  [['startedAt', 'gte'], 'the argument startedAt is the range'],
  [['startedAt', 'lte'], 'the argument startedAt is the range'],
  [['connectionId'], 'the upstream cannot count the deliveries of one connection'],
  [['status', 'eq'], 'the argument statuses says which to count'],
];

function checkFilter(filter: WebhookDeliveryFilter | null | undefined): void {
  for (const [path, reason] of refusedFilters) {
    const argument = ['filter', ...path.slice(0, 1)];
    if (givenAt({ filter }, ['filter', ...path]) != null)
      throw badArgument(argument, `${argument.join('.')} must be left out: ${reason}.`);
  }
}

function statusesOf({ statuses }: { readonly statuses?: readonly string[] | null | undefined }): readonly string[] {
  const given = statuses ?? shownStatuses;
  // The API takes an empty one for none.
  const wrong = given.findIndex((status) => status === '' || isReadOtherwise(status));
  if (wrong >= 0) throw badArgument(['statuses', wrong], `statuses.${wrong} must be one status, and not empty.`);
  return [...new Set(given)];
}

/** A range of moments in milliseconds since 1970 in UTC, both ends included, and where it is cut. */
interface CountedRange {
  readonly from: number;
  readonly to: number;
  /** The first place behind `from` at which it is cut, as often as `length` fits before `to`. */
  readonly firstCut: number;
  readonly length: number;
  /** How many parts it has. */
  readonly parts: number;
}

const hour = 3_600_000;
const day = 24 * hour;
const lengths: Readonly<Record<Interval, number>> = { HOUR: hour, DAY: day, WEEK: 7 * day };
// 1970 began on a Thursday.
const someMonday = 4 * day;

/** The range of these arguments; null where it has an open end or an end without a zone. */
function rangeOf({ startedAt, interval }: Values): CountedRange | null {
  const [from = null, to = null] = (['gte', 'lte'] as const).map((side) => {
    const bound = valueAt(startedAt, [side]);
    return instantOf(bound)?.hasZone === true ? Date.parse(boundOf(bound as string, side)) : null;
  });
  if (from === null || to === null) return null;
  const length = lengths[interval as Interval];
  const firstCut = (Math.floor((from - someMonday) / length) + 1) * length + someMonday;
  return { from, to, firstCut, length, parts: Math.max(0, Math.ceil((to - firstCut) / length)) + 1 };
}

function refuseRange(startedAt: Arguments): never {
  const bound = instantOf(startedAt['gte'])?.hasZone === true ? 'lte' : 'gte';
  const name = `startedAt.${bound}`;
  if (startedAt[bound] == null)
    throw badArgument(['startedAt', bound], `${name} must be given: the range has two ends.`);
  throw badArgument(['startedAt', bound], `${name} must have a time zone, such as the Z of 2026-10-01T00:00:00Z.`);
}

function callsFor({ parts }: CountedRange, statuses: readonly string[]): number {
  return parts * (statuses.length + 1);
}

function checkSize(range: CountedRange, statuses: readonly string[]): void {
  const calls = callsFor(range, statuses);
  if (calls <= countCalls) return;
  const isWide = callsFor(range, shownStatuses) > countCalls;
  throw badArgument(
    isWide ? ['startedAt'] : ['statuses'],
    `There are ${range.parts} buckets of ${statuses.length} statuses and a total each, which are ${calls} counts: at most ${countCalls} may be asked for.`,
  );
}

/** A part of a range as it is shown, and the bounds by which it is asked for; the API includes both. */
interface Span {
  readonly start: string;
  readonly end: string;
  readonly gte: string;
  readonly lte: string;
}

function spansOf({ from, to, firstCut, length, parts }: CountedRange): readonly Span[] {
  return Array.from({ length: parts }, (_, index) => {
    const start = index === 0 ? from : firstCut + (index - 1) * length;
    const end = index === parts - 1 ? to : firstCut + index * length;
    // The API includes both bounds: what began just at the end belongs to the next bucket.
    const last = index === parts - 1 ? end : end - 1;
    return { start: textOf(start), end: textOf(end), gte: textOf(start), lte: textOf(last) };
  });
}

/** A moment in UTC with as many digits as it needs. */
function textOf(milliseconds: number): string {
  return Temporal.Instant.fromEpochMilliseconds(milliseconds).toString();
}

async function readBucket(span: Span, wanted: WantedCounts, loaders: Loaders): Promise<DeliveryBucketRecord> {
  const { start, end } = span;
  const { statuses, hasTotal } = wanted;
  const read = (status: string | null, fresh = false) => readCount({ ...span, status, fresh }, wanted, loaders);
  const counts = await allInOrder([...(hasTotal ? [null] : []), ...statuses].map((status) => read(status)));
  // Not selected, and so not shown.
  const first = (hasTotal ? counts.shift() : undefined) ?? NaN;
  const byStatus = statuses.map((status, index) => ({ status, count: counts[index] ?? 0 }));
  const least = counts.reduce((all, count) => all + count, 0);
  // Deliveries may have come between the calls.
  const total = least > first ? await read(null, true) : first;
  if (least > total) throw uncounted('its deliveries of single statuses are more than those of all', 'contradiction');
  return { start, end, total, by_status: byStatus };
}

/** One number: how many deliveries of a status, or with null of any, began within a span; `fresh` counts again. */
interface Count extends Span {
  readonly status: string | null;
  readonly fresh: boolean;
}

const coordinate = 'Query.deliveryCounts';
const oneRow = { number: 1, size: 1, numberArgument: undefined, sizeArgument: undefined };

/** Reads a number by a call for one row, which has to be one of those that are counted. */
async function readCount(asked: Count, wanted: WantedCounts, loaders: Loaders): Promise<number> {
  const { gte, lte, status, fresh } = asked;
  const { args, ownArguments } = withOwn({ filter: wanted.filter }, [
    [['filter', 'startedAt', 'gte'], gte],
    [['filter', 'startedAt', 'lte'], lte],
    [statusArgument, status],
  ]);
  const { rows, meta } = await loaders.load(listWebhookDeliveries, args, oneRow, { fresh, ownArguments });
  const { totalResults: count } = meta;
  if (count === null) throw uncounted('it does not say how many there are', 'missing');
  const isEmpty = count > 0 && rows.length === 0;
  const fault = isEmpty ? `it says ${count}, and sends none` : totalFault(oneRow, { ...meta, rows });
  // A delivery may have come between the count and its row.
  if (fault !== null && !fresh) return readCount({ ...asked, fresh: true }, wanted, loaders);
  if (fault !== null) throw uncounted(fault, 'contradiction');
  if (rows.some((row) => isOutside(row, asked)) || ignoresFilter(args, rows))
    throw uncounted('it ignores what they are filtered by');
  return count;
}

/** To the millisecond, where the check of the filter leaves room for bounds that are rounded: neighbours would count a row twice. */
function isOutside(row: WebhookDeliveryRecord | null, { gte, lte }: Span): boolean {
  const moment = momentOf(row?.started_at);
  return moment !== null && (compareMoments(moment, gte) < 0 || Date.parse(moment) > Date.parse(lte));
}

function uncounted(reason: string, kind?: ViolationKind): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream cannot count these deliveries: ${reason}.`,
    ...(kind !== undefined && { violation: { coordinate, kind } }),
  });
}

/** A bound that the field refuses counts as the nearest one that it takes. */
function costOfCounts(args: Values): Estimate {
  const range = rangeOf(args);
  if (range === null) return nothing;
  const { statuses } = args;
  const calls = Math.min(countCalls, callsFor(range, Array.isArray(statuses) ? statuses : shownStatuses));
  // Each count is an object, or in one.
  return sum([someCalls(calls), someObjects(calls)]);
}

export const resource = {
  fields: { Query: { deliveryCounts } },
  costs: { [coordinate]: costOfCounts },
} satisfies Resource;
