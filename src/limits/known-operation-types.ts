import { GraphQLError, type ValidationRule } from 'graphql';

/**
 * An operation is of a type that the schema has (GraphQL of September 2025, section 5.2.1.1). graphql-js reports the others when it
 * executes them, with data that are null, as if the operation had run.
 */
export const KnownOperationTypesRule: ValidationRule = (context) => ({
  OperationDefinition(node) {
    if (context.getSchema().getRootType(node.operation) != null) return;
    context.reportError(new GraphQLError(`This gateway has no ${node.operation}s.`, { nodes: node }));
  },
});
