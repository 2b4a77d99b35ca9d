import type { GraphQLSchema } from 'graphql';
import { createVariableCoercion } from '../../graphql/execution/variable-values.ts';
import type { GraphqlRule } from '../graphql-rule.ts';
import { notExecuted } from '../response/request-error.ts';

/** Coerces the variables, and refuses those that do not fit. Where there is no such operation, graphql-js reports that. */
export function coerceOperationVariables(schema: GraphQLSchema, isSuggesting = true): GraphqlRule {
  const coerceVariables = createVariableCoercion(schema, !isSuggesting);
  return {
    judge({ definition, variables }, judgement) {
      if (definition === null) return;
      const { coerced, errors } = coerceVariables(definition, variables ?? {});
      if (errors === undefined) judgement.coerced = coerced;
      else judgement.refusal = notExecuted({ errors });
    },
  };
}
