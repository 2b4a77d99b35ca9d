import type { GraphQLSchema } from 'graphql';
import { createFreeFormCheck } from '../../graphql/schema/free-form.ts';
import type { GraphqlRule } from '../graphql-rule.ts';

/** Finds whether responses of the API must be read digit for digit. That takes longer, and only free-form values need it. */
export function readExactNumbers(schema: GraphQLSchema): GraphqlRule {
  const selectsFreeForm = createFreeFormCheck(schema);
  return {
    judge({ document }, judgement) {
      judgement.needsExactNumbers = selectsFreeForm(document);
    },
  };
}
