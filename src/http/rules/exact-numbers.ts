import type { GraphQLSchema } from 'graphql';
import { createFreeFormCheck } from '../../graphql/schema/free-form.ts';
import type { GraphqlRule } from '../graphql-rule.ts';

/** Finds whether responses of the API must be read digit for digit, which takes longer: only for free-form values. */
export function readExactNumbers(schema: GraphQLSchema): GraphqlRule {
  const selectsFreeForm = createFreeFormCheck(schema);
  return { judge: ({ document }) => ({ needsExactNumbers: selectsFreeForm(document) }) };
}
