import { errorsPerResponse, nodesPerField, representationsPerField } from '../../bounds.ts';
import {
  badArgument,
  GatewayErrors,
  gatewayErrorsOf,
  violationsOf,
  type ArgumentPath,
  type GatewayError,
} from '../../errors.ts';
import type { FoundRows } from '../../lists/look-ups.ts';
import { isTooLong, shortEnough } from '../schema/arguments.ts';
import type { Context } from '../context.ts';
import { badNodeId, type NodeIds, type NodeReference } from './node-id.ts';

/** The resolvers of what finds rows of any type: Relay's `node` and `nodes`, and what federation adds to the schema, with its SDL. */
export function createNodeFields(nodeIds: NodeIds, sdl: string) {
  const typeOf = { __resolveType: (record: object, { knownNodes }: Context) => knownNodes.typeOf(record) };

  function node(_root: unknown, { nodeId }: { readonly nodeId: string }, context: Context): Promise<object | null> {
    const reference = nodeIds.read(nodeId);
    if (reference === null) throw badNodeId(['nodeId']);
    return findNode(reference, context);
  }

  /** Each identifier stands for itself: a bad one is an error in its own place. */
  function nodes(_root: unknown, args: { readonly nodeIds: readonly string[] }, context: Context) {
    const { length } = args.nodeIds;
    if (length > nodesPerField)
      throw badArgument(['nodeIds'], `nodeIds may name ${nodesPerField} objects at most; it names ${length}.`);
    const read = (index: number): NodeReference | null => nodeIds.read(args.nodeIds[index] ?? '');
    return findEach({ length, read, faultAt: (index) => badNodeId(['nodeIds', index]) }, context);
  }

  return {
    Query: { node, nodes, _service: () => ({ sdl }), _entities: createEntityFinder(nodeIds) },
    Node: typeOf,
    _Entity: typeOf,
  };
}

async function findNode({ entity, wanted }: NodeReference, { lookUps, knownNodes }: Context): Promise<object | null> {
  const row = (await lookUps.find(entity, wanted)) as object | null;
  return knownNodes.noteType(row, entity.type);
}

interface EntitiesArguments {
  readonly representations: readonly unknown[];
}

/**
 * `_entities` (Apollo Federation v2, "Subgraph specification"): each reference is resolved for itself, in order, repetitions
 * included; unknown ones are null, failing ones fail alone. All references of a type share one look-up.
 */
function createEntityFinder(nodeIds: NodeIds) {
  return (_root: unknown, { representations }: EntitiesArguments, context: Context) => {
    const { length } = representations;
    if (length > representationsPerField)
      throw badArgument(
        ['representations'],
        `representations may name ${representationsPerField} objects at most; it names ${length}.`,
      );
    const read = (index: number): NodeReference | null => readReference(representations[index], nodeIds);
    const faultAt = (index: number): GatewayError =>
      faultOf(representations[index], ['representations', index], nodeIds);
    return findEach({ length, read, faultAt }, context);
  };
}

interface Members {
  readonly __typename?: unknown;
  readonly id?: unknown;
}

/** What a reference stands for; null for one that cannot be used. */
function readReference(representation: unknown, nodeIds: NodeIds): NodeReference | null {
  const { __typename: type, id } = (representation ?? {}) as Members;
  const entity = nodeIds.entityOf(type);
  if (entity === undefined || typeof id !== 'string' || isTooLong(id)) return null;
  return { entity, wanted: { id, hint: null } };
}

/** Why such a reference cannot be used. */
function faultOf(representation: unknown, path: ArgumentPath, nodeIds: NodeIds): GatewayError {
  const { __typename: type, id } = (representation ?? {}) as Members;
  if (typeof type !== 'string' || nodeIds.entityOf(type) === undefined) {
    const types = nodeIds.types.join(', ');
    return badArgument([...path, '__typename'], `A reference must be of one of these types: ${types}.`);
  }
  if (typeof id !== 'string')
    return badArgument([...path, 'id'], `A reference to ${type} must hold its key, a string "id".`);
  return badArgument([...path, 'id'], `The "id" of a reference must be ${shortEnough}.`);
}

/** What one list refers to, place by place. */
interface References {
  readonly length: number;
  /** Null for a place that refers to nothing. */
  readonly read: (index: number) => NodeReference | null;
  readonly faultAt: (index: number) => GatewayError;
}

/** A row, null where there is none, or why it was not found. */
type Found = object | Error | null;

/**
 * The row of each place, null where there is none, an error where it failed. The list comes in one promise, whatever its
 * length, and at once where nothing can be looked for.
 */
function findEach(references: References, { lookUps, knownNodes }: Context): unknown[] | Promise<unknown[]> {
  const { refusal } = lookUps;
  // Those that no response reports are not even read.
  if (refusal !== null)
    return assembled(
      references,
      (index, isFull) => (isFull ? null : references.read(index)),
      () => refusal,
    );
  const read = Array.from({ length: references.length }, (_, index) => references.read(index));
  const groups = Map.groupBy(
    read.filter((reference) => reference !== null),
    ({ entity }) => entity,
  );
  const rowOf = ({ entity, wanted }: NodeReference, rows: FoundRows<object> | undefined): Found => {
    const row = rows?.get(wanted.id) ?? null;
    return row instanceof Error ? row : knownNodes.noteType(row, entity.type);
  };
  const at = (index: number): NodeReference | null => read[index] ?? null;
  if (groups.size === 0) return assembled(references, at, () => null);
  const searches = [...groups].map(async ([entity, group]) => {
    const wanted = group.map((reference) => reference.wanted);
    return [entity, await lookUps.findEach(entity, wanted)] as const;
  });
  return Promise.all(searches).then((entries) => {
    const rows = new Map(entries);
    return assembled(references, at, (reference) => rowOf(reference, rows.get(reference.entity)));
  });
}

/** Stands for a failure that is only counted. */
const uncounted = new Error('This place has failed as well.');

/**
 * A list whose items may be null, with as many failures in their places as a response reports. The next place counts all others, which
 * are null: to place an error takes many times as long as to count it. Failures of values that break the contract have their places
 * anyway: they are counted for themselves, and may be reported later or not at all.
 */
function assembled(
  { length, faultAt }: References,
  read: (index: number, isFull: boolean) => NodeReference | null,
  rowOf: (reference: NodeReference) => Found,
): unknown[] {
  const items = Array<unknown>(length).fill(null);
  let placed = 0;
  let next: number | null = null;
  let more = 0;
  for (let index = 0; index < length; index++) {
    const isFull = placed === errorsPerResponse;
    const reference = read(index, isFull);
    const found = reference !== null ? rowOf(reference) : isFull ? uncounted : faultAt(index);
    const isFailure = found instanceof Error;
    const isViolation = isFailure && violationsOf(found).length > 0;
    if (!isFailure || isViolation || !isFull) {
      items[index] = found;
      if (isFailure && !isViolation) placed++;
    } else {
      next ??= index;
      more += found instanceof GatewayErrors ? found.errors.length + found.more : 1;
    }
  }
  const first = items.find((item) => item instanceof Error);
  if (next !== null) items[next] = new GatewayErrors(gatewayErrorsOf(first).slice(0, 1), more - 1);
  return items;
}
