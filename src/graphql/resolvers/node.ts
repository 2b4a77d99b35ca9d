import { badArgument } from '../../errors.ts';
import type { NodeResolvers, QueryResolvers } from '../../generated/schema.ts';
import type { Context } from '../context.ts';
import { readNodeId, type NodeReference } from '../node-id.ts';

const mostNodes = 500;

// A record does not say of which type it is; the look-up that found it does.
const types = new WeakMap<object, NodeReference['entity']['type']>();

export const nodeType: Pick<NodeResolvers, '__resolveType'> = {
  __resolveType: (record) => types.get(record) ?? null,
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
  const record = await lookUps.find(entity, wanted);
  if (record !== null) types.set(record, entity.type);
  return record;
}
