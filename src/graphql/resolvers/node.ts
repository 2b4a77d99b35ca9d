import { nodesPerField } from '../../bounds.ts';
import { badArgument } from '../../errors.ts';
import type { NodeResolvers, QueryResolvers } from '../../generated/schema.ts';
import type { Context } from '../context.ts';
import { findEach } from '../identity/find-each.ts';
import { badNodeId, readNodeId, type NodeReference } from '../identity/node-id.ts';

export const nodeType: Pick<NodeResolvers, '__resolveType'> = {
  __resolveType: (record, { knownNodes }) => knownNodes.typeOf(record),
};

export const node: QueryResolvers['node'] = (_root, { nodeId }, context) => {
  const reference = readNodeId(nodeId);
  if (reference === null) throw badNodeId(['nodeId']);
  return findNode(reference, context);
};

async function findNode({ entity, wanted }: NodeReference, { lookUps, knownNodes }: Context): Promise<object | null> {
  return knownNodes.noteType(await lookUps.find(entity, wanted), entity.type);
}

/** Each identifier stands for itself: a bad one is an error in its own place. */
export const nodes: QueryResolvers['nodes'] = (_root, { nodeIds }, context, info) => {
  const { length } = nodeIds;
  if (length > nodesPerField)
    throw badArgument(['nodeIds'], `nodeIds may name ${nodesPerField} objects at most; it names ${length}.`);
  const read = context.knownNodes.readerOf(nodeIds);
  const found = findEach({ length, read, faultAt: (index) => badNodeId(['nodeIds', index]) }, context, info);
  // The generated type of a list knows no error in it.
  return found as object[] | Promise<object[]>;
};
