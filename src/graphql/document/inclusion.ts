import { getDirectiveValues, GraphQLIncludeDirective, GraphQLSkipDirective, type SelectionNode } from 'graphql';

/** The names of the directives that leave selections out. */
export const conditionNames: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

/**
 * Whether `@skip` and `@include` leave a selection in, by coerced variables (GraphQL, section 6.3.2). Throws a GraphQLError where
 * a condition has no value, as a nullable variable with a default may have none.
 */
export function isIncluded(selection: SelectionNode, variables: Readonly<Record<string, unknown>>): boolean {
  if (selection.directives === undefined || selection.directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables);
  if (skip?.['if'] === true) return false;
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables);
  return include?.['if'] !== false;
}
