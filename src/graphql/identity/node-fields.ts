import { nodesPerField, representationsPerField } from '../../bounds.ts';
import { badArgument, type ArgumentPath, type GatewayError } from '../../errors.ts';
import { isTooLong, shortEnough } from '../schema/argument-length.ts';
import type { Context } from '../context.ts';
import type { FieldInfo } from '../execution/field-info.ts';
import { findEach } from './find-each.ts';
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
  function nodes(_root: unknown, args: { readonly nodeIds: readonly string[] }, context: Context, info: FieldInfo) {
    const { length } = args.nodeIds;
    if (length > nodesPerField)
      throw badArgument(['nodeIds'], `nodeIds may name ${nodesPerField} objects at most; it names ${length}.`);
    const read = context.knownNodes.readerOf(args.nodeIds, nodeIds);
    return findEach({ length, read, faultAt: (index) => badNodeId(['nodeIds', index]) }, context, info);
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
  return (_root: unknown, { representations }: EntitiesArguments, context: Context, info: FieldInfo) => {
    const { length } = representations;
    if (length > representationsPerField)
      throw badArgument(
        ['representations'],
        `representations may name ${representationsPerField} objects at most; it names ${length}.`,
      );
    const read = (index: number): NodeReference | null => readReference(representations[index], nodeIds);
    const faultAt = (index: number): GatewayError =>
      faultOf(representations[index], ['representations', index], nodeIds);
    return findEach({ length, read, faultAt }, context, info);
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
