import { resolveSchemaCoordinate, type GraphQLField, type GraphQLSchema } from 'graphql';
import { anchorSearches, nodesPerField, representationsPerField } from '../bounds.ts';
import type { Config } from '../config.ts';
import type { Values } from '../graphql/document.ts';
import type { NodeIds } from '../graphql/nodes.ts';
import type { AnyEntity, ListEndpoint } from '../upstream/endpoint.ts';

/** Bytes of a report that weigh as much as an object in the cost of an operation: by default, the largest weighs a tenth of LIMIT_COST. */
const bytesPerObject = 16_384;

/** A report weighs at most one part in so many of LIMIT_COST, so that an operation has room for some, however large they may be. */
const reportPart = 4;

/** What a part of a query may ask for at most. */
export interface Estimate {
  readonly calls: number;
  readonly objects: number;
  /** Pieces that come after the first part of the response, by `@defer`; Infinity where their number is not known. */
  readonly pieces: number;
  /** By name what counts once in an operation, however often it is selected: searches, and bodies that are held as a whole. */
  readonly shared: ReadonlyMap<string, { readonly calls: number; readonly objects: number }>;
}

/** Nothing at all. */
export const nothing: Estimate = { calls: 0, objects: 0, pieces: 0, shared: new Map() };

export function someCalls(calls: number): Estimate {
  return { ...nothing, calls };
}

export function someObjects(objects: number): Estimate {
  return { ...nothing, objects };
}

export function somePieces(pieces: number): Estimate {
  return { ...nothing, pieces };
}

/** A search that all fields of an operation share, by the most calls that it takes. */
export function aSearch(name: string, calls: number): Estimate {
  return { ...nothing, shared: new Map([[name, { calls, objects: 0 }]]) };
}

/** A body that is held as a whole, by its weight in objects. */
export function aBody(name: string, objects: number): Estimate {
  return { ...nothing, shared: new Map([[name, { calls: 0, objects }]]) };
}

export function sum(estimates: readonly Estimate[]): Estimate {
  let [calls, objects, pieces] = [0, 0, 0];
  // Few estimates have any, and this runs for every field of every request.
  let shared: Map<string, { readonly calls: number; readonly objects: number }> | null = null;
  for (const estimate of estimates) {
    calls += estimate.calls;
    objects += estimate.objects;
    pieces += estimate.pieces;
    if (estimate.shared.size === 0) continue;
    shared ??= new Map();
    for (const [name, once] of estimate.shared) shared.set(name, once);
  }
  return { calls, objects, pieces, shared: shared ?? nothing.shared };
}

export function times({ calls, objects, pieces, shared }: Estimate, count: number): Estimate {
  if (count === 0) return nothing;
  return { calls: calls * count, objects: objects * count, pieces: pieces * count, shared };
}

/** How single rows are found, which decides what they cost. */
export interface SearchOptions {
  /** How many calls a search through a list may take. */
  readonly scanPages: number;
  readonly lookUp: 'list' | 'retrieve';
  /** The weight of a report, in objects. Default: none. */
  readonly reportWeight?: number;
}

/** What a field costs by its arguments. `items` is the most rows that it may return. */
export type CostOfArguments = (args: Values, options: SearchOptions, items: number) => Estimate;

/** What a field costs: a constant, or a function of its arguments. */
export type FieldCost = Estimate | CostOfArguments;

/**
 * A page of a list. A page of the API holds `pageLimit` rows, and a page of ours that does not begin where one of those begins
 * touches one more. `last` without a cursor reads the length of the list first. A cursor whose row has moved is searched for.
 */
export function pageCost({ pageLimit }: Pick<ListEndpoint<unknown>, 'pageLimit'>): CostOfArguments {
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

/** `count` rows of a type by their identifiers. Hints, the search through the list and its repetitions share one budget of calls. */
function lookUpOf(type: string, count: number, { scanPages, lookUp }: SearchOptions): Estimate {
  return lookUp === 'retrieve' ? someCalls(count) : aSearch(`look-up ${type}`, scanPages);
}

/** What references cost, each of which names its type in its own way; a field that is given more than `most` refuses them all. */
function byReferences(
  references: readonly unknown[],
  most: number,
  typeOf: (reference: unknown) => string | undefined,
  options: SearchOptions,
): Estimate {
  const counts = new Map<string, number>();
  for (const reference of references.slice(0, most)) {
    const type = typeOf(reference);
    if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return sum([...counts].map(([type, count]) => lookUpOf(type, count, options)));
}

function itemsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What follows from an entity: the costs of its list and of the look-up of one row, by coordinate. */
export function entityCosts({ type, list, retrieve }: AnyEntity): Readonly<Record<string, FieldCost>> {
  return { [list.coordinate]: pageCost(list), [retrieve.coordinate]: (_args, options) => lookUpOf(type, 1, options) };
}

/** The costs of the fields that find rows of any type. */
export function nodeCosts(nodeIds: NodeIds): Readonly<Record<string, FieldCost>> {
  const typeOfNodeId = (nodeId: unknown): string | undefined => nodeIds.entityNamedBy(String(nodeId))?.type;
  const typeOfReference = (reference: unknown): string | undefined => {
    const { __typename: type } = (reference ?? {}) as { readonly __typename?: unknown };
    return nodeIds.entityOf(type)?.type;
  };
  return {
    // Forty thousand characters from memory. A router asks for them once.
    '_Service.sdl': someObjects(4_000),
    'Query.node': ({ nodeId }, options) => byReferences([nodeId], 1, typeOfNodeId, options),
    'Query.nodes': ({ nodeIds: given }, options) => byReferences(itemsIn(given), nodesPerField, typeOfNodeId, options),
    'Query._entities': ({ representations }, options) =>
      byReferences(itemsIn(representations), representationsPerField, typeOfReference, options),
  };
}

/** Lists that are as long as one of their arguments. */
export const listArguments: Readonly<Record<string, string>> = {
  'Query.nodes': 'nodeIds',
  'Query._entities': 'representations',
};

interface Priced {
  cost?: FieldCost;
}

/**
 * Notes at each field of a schema what it costs: the most that it asks of an API that keeps its contract, while its lists do not change.
 * A field that is not named makes no calls. Retries, and readings of lists that change meanwhile, come on top. Throws where the schema
 * has no such field.
 */
export function setCosts(schema: GraphQLSchema, costs: Readonly<Record<string, FieldCost>>): void {
  for (const [coordinate, cost] of Object.entries(costs)) {
    const found = resolveSchemaCoordinate(schema, coordinate);
    if (found?.kind !== 'Field') throw new Error(`The schema has no field ${coordinate}, which has a cost.`);
    (found.field.extensions as Priced).cost = cost;
  }
}

/** What a field costs; undefined where it makes no calls. */
export function costOf({ extensions }: GraphQLField<unknown, unknown>): FieldCost | undefined {
  return (extensions as Priced).cost;
}

/**
 * What costs depend on besides arguments. A report weighs as many objects as the largest one that is read, but at most the `reportPart` of
 * the limit.
 */
export function searchOptionsOf(
  config: Pick<Config, 'upstreamScanPages' | 'upstreamLookUp' | 'upstreamMaxBodyBytes' | 'limitCost'>,
): SearchOptions {
  const { upstreamScanPages: scanPages, upstreamLookUp: lookUp, upstreamMaxBodyBytes, limitCost } = config;
  const reportWeight = Math.min(Math.ceil(upstreamMaxBodyBytes / bytesPerObject), Math.floor(limitCost / reportPart));
  return { scanPages, lookUp, reportWeight };
}
