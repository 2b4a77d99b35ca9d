import type { GraphqlRule } from '../graphql-rule.ts';

/** Begins the span of an operation, by its type and name alone. */
export function beginOperationSpan(): GraphqlRule {
  return {
    judge({ definition, request }, { name }) {
      if (definition !== null) request.exchange.trace?.beginOperation(definition.operation, name);
    },
  };
}

/** Ends the span of an operation, or of one event of a stream, with the codes of its errors. */
export function endOperationSpan(): GraphqlRule {
  return {
    finish(result, { request }, part) {
      const { trace } = request.exchange;
      trace?.noteErrors(result.errors?.map(({ extensions }) => String(extensions['code'])) ?? []);
      if (part !== 'followed') trace?.finish();
      return result;
    },
  };
}
