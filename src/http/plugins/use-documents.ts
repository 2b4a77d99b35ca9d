import type { DocumentNode, GraphQLError, GraphQLSchema, Source, ValidationRule } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../../errors.ts';
import type { DocumentLimits } from '../../limits/document-limits.ts';
import { readDocument } from '../../limits/document-text.ts';
import type { KnownDocuments } from '../document-cache.ts';
import type { CheckDocument } from '../graphql-execution.ts';
import { requestError } from '../response/request-error.ts';

/**
 * Reads and checks documents, and keeps those that may be served. Nothing else is kept: a document beyond the limits is refused
 * each time it comes, before anything that takes long.
 */
export function useDocuments(
  limits: Pick<DocumentLimits, 'tokens'>,
  checkDocument: CheckDocument,
  known: KnownDocuments,
): Plugin {
  // Trusted documents come from another plugin and are in no cache.
  const valid = new WeakSet<DocumentNode>();
  const texts = new WeakMap<DocumentNode, string>();

  function read(source: string | Source): DocumentNode {
    const text = textOf(source);
    const document = readAs(text, limits);
    texts.set(document, text);
    return document;
  }

  function validate(document: DocumentNode, rules: readonly ValidationRule[] | undefined): readonly GraphQLError[] {
    const errors = checkDocument(document, rules);
    if (errors.length === 0) keep(document);
    return errors;
  }

  function keep(document: DocumentNode): void {
    valid.add(document);
    const text = texts.get(document);
    if (text !== undefined) known.set(text, document);
  }

  return {
    onParse({ params: { source }, setParsedDocument, setParseFn }) {
      const document = known.get(textOf(source));
      if (document !== undefined) setParsedDocument(document);
      else setParseFn(read);
    },
    onValidate({ params: { documentAST }, setResult, setValidationFn }) {
      if (valid.has(documentAST as DocumentNode)) setResult([]);
      else
        setValidationFn((_schema: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
          validate(document, rules),
        );
    },
  };
}

function textOf(source: string | Source): string {
  return typeof source === 'string' ? source : source.body;
}

function readAs(text: string, limits: Pick<DocumentLimits, 'tokens'>): DocumentNode {
  try {
    return readDocument(text, limits);
  } catch (error) {
    throw error instanceof GatewayError ? requestError(error) : error;
  }
}
