import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  SingleFieldSubscriptionsRule as PublicRule,
  type DirectiveNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { conditionNames } from '../graphql/document/inclusion.ts';

/**
 * A subscription selects one field, without a condition (GraphQL of September 2025, section 5.2.4.1). graphql-js asks for one field
 * alone: where a condition leaves it out it fails, and where it is a variable's, its rule does.
 */
export const SingleFieldSubscriptionsRule: ValidationRule = (context) => {
  // That is all there is of it.
  const publicRule = PublicRule(context) as { OperationDefinition(operation: OperationDefinitionNode): void };
  return {
    OperationDefinition(operation) {
      if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const condition = conditionIn(operation, context);
      if (condition === undefined) return publicRule.OperationDefinition(operation);
      const message = `A subscription selects its field without "@${condition.name.value}".`;
      context.reportError(new GraphQLError(message, { nodes: condition }));
    },
  };
};

/** The first condition at a root field, or at a fragment of them. */
function conditionIn(operation: OperationDefinitionNode, context: ValidationContext): DirectiveNode | undefined {
  const seen = new Set<SelectionSetNode>();
  const waiting: SelectionSetNode[] = [operation.selectionSet];
  for (let set = waiting.pop(); set !== undefined; set = waiting.pop()) {
    // Fragments may stand in a circle, which another rule says.
    if (seen.has(set)) continue;
    seen.add(set);
    for (const node of set.selections) {
      const condition = node.directives?.find(({ name }) => conditionNames.has(name.value));
      if (condition !== undefined) return condition;
      const inner = node.kind === Kind.FRAGMENT_SPREAD ? context.getFragment(node.name.value)?.selectionSet : undefined;
      if (node.kind === Kind.INLINE_FRAGMENT) waiting.push(node.selectionSet);
      else if (inner != null) waiting.push(inner);
    }
  }
  return undefined;
}
