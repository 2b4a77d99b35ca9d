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
 * A subscription selects one field, without a condition (GraphQL of September 2025, section 5.2.4.1). The rule of graphql-js checks the
 * number of fields only: it throws where the condition is a variable, and execution throws where the condition leaves the field out.
 */
export const SingleFieldSubscriptionsRule: ValidationRule = (context) => {
  // The rule of graphql-js visits nothing else.
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
    // Fragments may form a cycle, which another rule reports.
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
