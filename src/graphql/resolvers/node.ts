import { badArgument } from '../../errors.ts';
import type { NodeResolvers, QueryResolvers } from '../../generated/schema.ts';
import type { Context } from '../context.ts';
import { readNodeId, type NodeReference } from '../node-id.ts';
import { noteType, typeOf } from '../runtime-type.ts';

const mostNodes = 500;

export const nodeType: Pick<NodeResolvers, '__resolveType'> = {
  __resolveType: typeOf,
};

export const node: QueryResolvers['node'] = (_root, { nodeId }, context) =>
  findNode(readNodeId(nodeId, ['nodeId']), context);

/** Each identifier stands for itself: a bad one is an error in its own place. */
export const nodes: QueryResolvers['nodes'] = (_root, { nodeIds }, context) => {
  if (nodeIds.length > mostNodes)
    throw badArgument(['nodeIds'], `nodeIds may name ${mostNodes} objects at most; it names ${nodeIds.length}.`);
  const found = nodeIds.map(async (nodeId, index) => findNode(readNodeId(nodeId, ['nodeIds', index]), context));
  // The generated type of a list knows no promise of null.
  return found as Promise<object>[];
};

async function findNode({ entity, wanted }: NodeReference, { lookUps }: Context): Promise<object | null> {
  return noteType(await lookUps.find(entity, wanted), entity.type);
}
