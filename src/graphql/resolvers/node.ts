import { badArgument } from '../../errors.ts';
import type { NodeResolvers, QueryResolvers } from '../../generated/schema.ts';
import type { Context } from '../context.ts';
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
export const nodes: QueryResolvers['nodes'] = (_root, { nodeIds }, context) => {
  if (nodeIds.length > mostNodes)
    throw badArgument(['nodeIds'], `nodeIds may name ${mostNodes} objects at most; it names ${nodeIds.length}.`);
  const found = referencesOf(nodeIds).map((reference, index) =>
    reference === null ? badNodeId(['nodeIds', index]) : findNode(reference, context),
  );
  // The generated type of a list knows neither an error nor a promise of null.
  return found as Promise<object>[];
};

const known = new WeakMap<readonly string[], readonly (NodeReference | null)[]>();

/** A variable is one list for all fields that it is given to, and read once. */
function referencesOf(nodeIds: readonly string[]): readonly (NodeReference | null)[] {
  const references = known.get(nodeIds) ?? nodeIds.map(readNodeId);
  known.set(nodeIds, references);
  return references;
}

async function findNode({ entity, wanted }: NodeReference, { lookUps }: Context): Promise<object | null> {
  return noteType(await lookUps.find(entity, wanted), entity.type);
}
