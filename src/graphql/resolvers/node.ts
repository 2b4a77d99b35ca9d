import { badArgument } from '../../errors.ts';
import type { NodeResolvers, QueryResolvers } from '../../generated/schema.ts';
import type { Context } from '../context.ts';
import { findEach } from '../identity/find-each.ts';
import { badNodeId, readNodeId, type NodeReference } from '../identity/node-id.ts';
import { noteType, typeOf } from '../identity/runtime-type.ts';

const mostNodes = 500;

export const nodeType: Pick<NodeResolvers, '__resolveType'> = {
  __resolveType: typeOf,
};

export const node: QueryResolvers['node'] = (_root, { nodeId }, context) => {
  const reference = readNodeId(nodeId);
  if (reference === null) throw badNodeId(['nodeId']);
  return findNode(reference, context);
};

/** Each identifier stands for itself: a bad one is an error in its own place. */
export const nodes: QueryResolvers['nodes'] = (_root, { nodeIds }, { lookUps }, info) => {
  if (nodeIds.length > mostNodes)
    throw badArgument(['nodeIds'], `nodeIds may name ${mostNodes} objects at most; it names ${nodeIds.length}.`);
  const found = findEach(
    {
      length: nodeIds.length,
      read: readerOf(nodeIds),
      faultAt: (index) => badNodeId(['nodeIds', index]),
    },
    lookUps,
    info,
  );
  // The generated type of a list knows no error in it.
  return found as object[] | Promise<object[]>;
};

type Known = (NodeReference | null | undefined)[];

const known = new WeakMap<readonly string[], Known>();

/** A variable is one list for all fields that it is given to, and each of its places is read once. */
function readerOf(nodeIds: readonly string[]): (index: number) => NodeReference | null {
  const references = known.get(nodeIds) ?? [];
  known.set(nodeIds, references);
  return (index) => {
    const reference = references[index];
    return reference === undefined ? (references[index] = readNodeId(nodeIds[index] ?? '')) : reference;
  };
}

async function findNode({ entity, wanted }: NodeReference, { lookUps }: Context): Promise<object | null> {
  return noteType(await lookUps.find(entity, wanted), entity.type);
}
