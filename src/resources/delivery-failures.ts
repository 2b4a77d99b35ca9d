import { GatewayError } from '../errors.ts';
import type { DeliveryFailureGroupRecord, WebhookDeliveryRecord } from '../generated/records.ts';
import type { QueryResolvers } from '../generated/schema.ts';
import type { Context } from '../graphql/context.ts';
import { int32Of } from '../graphql/schema/scalars.ts';
import { someCalls, sum } from '../limits/field-cost.ts';
import { listKeyOf, listSource, withOwn, type OwnedArguments } from '../lists/list-source.ts';
import { distinct, scanStill } from '../lists/scan.ts';
import { compareMoments, momentOf } from '../moment.ts';
import { CallBudget } from '../paging/source.ts';
import { sizeOf } from '../paging/window.ts';
import { WorkSlices } from '../time-slices.ts';
import { givenAt } from '../upstream/call.ts';
import { valueAt } from '../upstream/endpoint.ts';
import { ownersSearch } from './delivery-relation.ts';
import { attemptErrorForm, errorCodeLeaf, withoutUser } from './delivery-attempt.ts';
import { connectionIdIn, ownedBy, readOwners } from './delivery-owner.ts';
import type { Resource } from './resource.ts';
import { ignoresFilter, listWebhookDeliveries, newestOf, statusArgument } from './webhook-delivery.ts';

/** Groups of `deliveryFailures` without `first`: the most frequent reasons are the first ones. */
export const failureGroups = 10;

/** Reads the newest failures, and groups them. */
const deliveryFailures: QueryResolvers['deliveryFailures'] = async (_root, { filter, first }, context) => {
  const most = sizeOf(first, 'first') ?? failureGroups;
  const status = filter?.status?.eq || 'failed';
  const asked = withOwn({ filter }, [[statusArgument, status]]);
  const { loaders, scanPages } = context;
  const id = connectionIdIn({ filter });
  // An operation that another engine executes anew has spent its calls.
  const list = `failures ${listKeyOf(listWebhookDeliveries, asked.args)}`;
  const { rows, isWhole } = await loaders.once(list, () => readNewest(asked, context));
  if (rows.some((row) => isOfOther(row, status)) || ignoresFilter(asked.args, rows))
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: 'The upstream ignores what deliveries are filtered by, so it is not known which of them failed.',
    });
  const own = id === null ? rows : await ownedBy(id, rows, () => readOwners(loaders, scanPages));
  const groups = await groupsOf(own);
  return { groups: groups.slice(0, most), examined: rows.length, is_whole: isWhole };
};

/** Reads a list of deliveries from its head, as far as a search may, each once. Throws UPSTREAM_ERROR where it keeps losing some. */
async function readNewest({ args, ownArguments }: OwnedArguments, { loaders, scanPages }: Context) {
  const budget = new CallBudget(scanPages);
  const { outcome, read } = await scanStill(listSource(listWebhookDeliveries, args, loaders, { budget, ownArguments }));
  return { rows: distinct(listWebhookDeliveries, read.headRows), isWhole: outcome === 'ended' };
}

function isOfOther({ status }: WebhookDeliveryRecord, wanted: string): boolean {
  return typeof status === 'string' && status.toLowerCase() !== wanted.toLowerCase();
}

async function groupsOf(rows: readonly WebhookDeliveryRecord[]): Promise<readonly DeliveryFailureGroupRecord[]> {
  const groups = new Map<string, DeliveryFailureGroupRecord>();
  await new WorkSlices().each(rows, (row) => {
    const kind = kindOf(row);
    // An error that came as a code alone is the same as one with its text.
    const key = JSON.stringify([kind.address, kind.status, kind.http_status, kind.error_code ?? kind.title]);
    const { title = kind.title, count = 0, newest = row } = groups.get(key) ?? {};
    groups.set(key, { ...kind, title: title ?? kind.title, count: count + 1, newest: newestOf([newest, row]) ?? row });
  });
  const momentIn = ({ newest }: DeliveryFailureGroupRecord) => momentOf(newest.started_at) ?? '';
  return [...groups.values()].sort((a, b) => b.count - a.count || compareMoments(momentIn(b), momentIn(a)));
}

/** How a delivery ended, by its newest attempt. */
function kindOf({ status, attempts }: WebhookDeliveryRecord): Omit<DeliveryFailureGroupRecord, 'count' | 'newest'> {
  const attempt = newestOf(Array.isArray(attempts) ? (attempts as readonly unknown[]) : []);
  const error = attemptErrorForm.read(valueAt(attempt, ['errors', 0]));
  return {
    address: addressOf(valueAt(attempt, ['http', 'request', 'url'])),
    status: textIn(status),
    http_status: int32Of(valueAt(attempt, ['http', 'response', 'status'])) ?? null,
    error_code: int32Of(errorCodeLeaf.read(error?.['code'])) ?? null,
    title: textIn(error?.['title']),
  };
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** An address without what may be a secret, or differ each time. */
function addressOf(url: unknown): string | null {
  return typeof url === 'string' ? withoutUser(url.split(/[?#]/, 1)[0] ?? '', '') : null;
}

export const resource = {
  fields: { Query: { deliveryFailures } },
  costs: {
    'Query.deliveryFailures'(args, options) {
      const search = someCalls(options.scanPages);
      return givenAt(args, ['filter', 'connectionId']) == null ? search : sum([search, ownersSearch(options)]);
    },
  },
} satisfies Resource;
