import { GraphQLError, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { refusalOf, type DocumentLimits } from '../../limits/document-limits.ts';
import { tooComplex } from '../../limits/too-complex.ts';
import { requestError } from '../request-error.ts';

/**
 * Refuses a document beyond the limits before anything that takes long is done with it: too many tokens end its parsing,
 * and what is too deep, too wide or repeats itself is not validated.
 */
export function useDocumentLimits(limits: DocumentLimits): Plugin {
  const judged = new WeakMap<DocumentNode, readonly GraphQLError[] | null>();

  function judge(document: DocumentNode, schema: GraphQLSchema): readonly GraphQLError[] | null {
    const known = judged.get(document);
    if (known !== undefined) return known;
    const refusal = refusalOf(document, schema, limits);
    const errors = refusal === null ? null : [requestError(refusal)];
    judged.set(document, errors);
    return errors;
  }

  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => {
        try {
          return parseFn(source, { ...options, maxTokens: limits.tokens });
        } catch (error) {
          throw isTooLong(error)
            ? requestError(tooComplex('size', 'tokens or more', limits.tokens, limits.tokens + 1))
            : error;
        }
      });
    },
    onValidate({ params: { schema, documentAST }, setResult }) {
      const errors = judge(documentAST as DocumentNode, schema as GraphQLSchema);
      if (errors !== null) setResult(errors);
    },
  };
}

// graphql-js has no other mark for it; what a client writes is quoted behind other words.
function isTooLong(error: unknown): boolean {
  return (
    error instanceof GraphQLError && /^Syntax Error: Document contains more tha[nt] \d+ tokens/.test(error.message)
  );
}
