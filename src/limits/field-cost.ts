import { anchorSearches, historyMonths, nodesPerField, reportPasses, representationsPerField } from '../bounds.ts';
import { typeOfNodeId } from '../graphql/identity/node-id.ts';
import type { ListEndpoint } from '../upstream/endpoint.ts';
import { listIpConnections } from '../upstream/endpoints/ip-connection.ts';
import { listMissions } from '../upstream/endpoints/mission.ts';
import { listWebhookDeliveries } from '../upstream/endpoints/webhook-delivery.ts';
import { aBody, aSearch, nothing, someCalls, someObjects, sum, type Demand } from './demand.ts';

/** How single rows are found, which decides what they cost. */
export interface SearchOptions {
  /** How many calls a search through a list may take. */
  readonly scanPages: number;
  readonly lookUp: 'list' | 'retrieve';
  /** The weight of a report, in objects (`reportCost`). Default: none. */
  readonly reportWeight?: number;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The demand of a field by its arguments. `items` is the most rows that it may return. */
export type DemandOfArguments = (args: Arguments, options: SearchOptions, items: number) => Demand;

/** What a field costs: a constant, or a function of its arguments. */
export type FieldCost = Demand | DemandOfArguments;

// A connection has an address for its webhooks and an alternative one. Each has its own list (lists/attempted-delivery.ts).
const addresses = 2;

// A range that begins within a month touches one more than it is long.
const monthsTouched = historyMonths + 1;

const oneCall: Demand = someCalls(1);

/** A report is one call. It is held as a whole, however little of it is selected. */
const reportAs =
  (form: 'json' | 'csv'): DemandOfArguments =>
  ({ startDate, endDate }, { reportWeight: weight = 0 }) =>
    sum([oneCall, aBody(`report ${form} ${String(startDate)} ${String(endDate)}`, weight)]);

const aCallEach: DemandOfArguments = (_args, _options, items) => someCalls(items);

/**
 * A page of a list. A page of the API holds `pageLimit` rows, and a page of ours that does not begin where one of those begins
 * touches one more. `last` without a cursor reads the length of the list first. A cursor whose row has moved is searched for.
 */
function pageOf({ pageLimit }: Pick<ListEndpoint<unknown>, 'pageLimit'>): DemandOfArguments {
  return ({ first, last, offset, after, before }, { scanPages }, items) => {
    const pages = Math.max(1, Math.ceil(items / pageLimit));
    if (after != null || before != null) {
      // The row of the cursor is read with the page, up to a page away from it. `last` also reads the length of the list.
      const reading = Math.ceil((items + 1) / pageLimit) + 3;
      return someCalls((anchorSearches + 1) * reading + scanPages);
    }
    if (first == null && last != null) return someCalls(pages + 2);
    return someCalls(typeof offset === 'number' && offset > 0 ? pages + 1 : pages);
  };
}

/** Hints, the search through the list and its repetitions share one budget of calls (lists/look-up.ts). */
function lookUpIn(type: string, scanPages: number): Demand {
  return aSearch(`look-up ${type}`, 1, () => scanPages);
}

/** `count` rows of a type by their identifiers. */
function lookUpOf(type: string, count: number, { scanPages, lookUp }: SearchOptions): Demand {
  return lookUp === 'retrieve' ? someCalls(count) : lookUpIn(type, scanPages);
}

const byId =
  (type: string): DemandOfArguments =>
  (_args, options) =>
    lookUpOf(type, 1, options);

function byNodeIds(nodeIds: readonly unknown[], options: SearchOptions): Demand {
  // A field that is given more refuses them all.
  const counts = countsOf(nodeIds.slice(0, nodesPerField).map((nodeId) => typeOfNodeId(String(nodeId))));
  return sum([...counts].map(([type, count]) => lookUpOf(type, count, options)));
}

function byReferences(references: readonly unknown[], options: SearchOptions): Demand {
  const counts = countsOf(references.slice(0, representationsPerField).map(typeOfReference));
  return sum([...counts].map(([type, count]) => lookUpOf(type, count, options)));
}

function typeOfReference(reference: unknown): unknown {
  const { __typename: type } = (reference ?? {}) as { readonly __typename?: unknown };
  return type;
}

function countsOf(types: readonly unknown[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const type of types) if (typeof type === 'string') counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

function itemsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * The most that a field demands of an API that keeps its contract, while its lists do not change. A field that is not listed makes no
 * calls. Retries, and readings of lists that change meanwhile, come on top.
 */
export const fieldCosts: Readonly<Record<string, FieldCost>> = {
  // Forty thousand characters from memory. A router asks for them once.
  '_Service.sdl': someObjects(4_000),
  'Query.chargesSummary': oneCall,
  'Query.chargesBreakdown': reportAs('json'),
  'Query.chargesBreakdownCsv': reportAs('csv'),
  'Query.chargesHistory': aCallEach,
  'ChargesBreakdown.results': ({ filter, orderBy }) =>
    filter == null && orderBy == null ? nothing : someObjects(reportPasses.filtered),
  'ChargesBreakdown.totals': someObjects(reportPasses.addedUp),
  'ChargesSummary.previous': oneCall,
  'Query.chargesHistoryByService': someCalls(monthsTouched),
  'Query.ipConnections': pageOf(listIpConnections),
  'Query.missions': pageOf(listMissions),
  'Query.webhookDeliveries': pageOf(listWebhookDeliveries),
  // The cost of one event. The polls are shared, and no event's own.
  'Subscription.webhookDeliveries': oneCall,
  'Query.ipConnection': byId('IpConnection'),
  'Query.mission': byId('Mission'),
  'Query.webhookDelivery': byId('WebhookDelivery'),
  'Query.node': ({ nodeId }, options) => byNodeIds([nodeId], options),
  'Query.nodes': ({ nodeIds }, options) => byNodeIds(itemsIn(nodeIds), options),
  'Query._entities': ({ representations }, options) => byReferences(itemsIn(representations), options),
  'IpConnection.webhookDeliveries': (_args, { scanPages }) => someCalls(addresses * scanPages),
  'WebhookDelivery.ipConnection': (_args, { scanPages }) => aSearch('owners', 1, () => scanPages),
};

/** Lists that are as long as one of their arguments. */
export const listArguments: Readonly<Record<string, string>> = {
  'Query.nodes': 'nodeIds',
  'Query._entities': 'representations',
};
