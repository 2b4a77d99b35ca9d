import type { GraphQLSchema } from 'graphql';
import { refusalOf, type DocumentLimits } from '../../limits/document-limits.ts';
import { validateDocument } from '../../limits/validation.ts';
import type { GraphqlRule } from '../graphql-rule.ts';
import { requestError } from '../response/request-error.ts';

/** Refuses a document beyond the limits. It comes first, since validating such a document would take long. */
export function limitDocuments(schema: GraphQLSchema, limits: DocumentLimits): GraphqlRule {
  return {
    checkDocument(document) {
      const refusal = refusalOf(document, schema, limits);
      return refusal === null ? [] : [requestError(refusal)];
    },
  };
}

/** Refuses a document that is not valid (GraphQL, section 5). Its errors suggest names of the schema where `isSuggesting`. */
export function validateDocuments(schema: GraphQLSchema, isSuggesting = true): GraphqlRule {
  return {
    checkDocument: (document, validationRules) => validateDocument(schema, document, validationRules, !isSuggesting),
  };
}
