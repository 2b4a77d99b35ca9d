import type { DocumentNode, GraphQLSchema, Source, ValidationRule } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../../errors.ts';
import { refusalOf, type DocumentLimits } from '../../limits/document-limits.ts';
import { readDocument } from '../../limits/document-text.ts';
import { validateDocument } from '../../limits/validation.ts';
import type { KnownDocuments } from '../document-cache.ts';
import { requestError } from '../response/request-error.ts';

/**
 * Reads, judges and validates documents, and keeps those that are within the limits and valid. Of any other nothing stays: a
 * document beyond the limits is refused before anything that takes long is done with it, and each time again.
 */
export function useDocuments(limits: DocumentLimits, known: KnownDocuments): Plugin {
  // Trusted documents, which other plugins hand over, are in no cache.
  const valid = new WeakSet<DocumentNode>();
  const texts = new WeakMap<DocumentNode, string>();

  function read(source: string | Source): DocumentNode {
    const text = textOf(source);
    const document = readAs(text, limits);
    texts.set(document, text);
    return document;
  }

  function validate(document: DocumentNode, schema: GraphQLSchema, rules: readonly ValidationRule[] | undefined) {
    const refusal = refusalOf(document, schema, limits);
    if (refusal !== null) return [requestError(refusal)];
    const errors = validateDocument(schema, document, rules);
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
        setValidationFn((schema: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
          validate(document, schema, rules),
        );
    },
  };
}

function textOf(source: string | Source): string {
  return typeof source === 'string' ? source : source.body;
}

function readAs(text: string, limits: DocumentLimits): DocumentNode {
  try {
    return readDocument(text, limits);
  } catch (error) {
    throw error instanceof GatewayError ? requestError(error) : error;
  }
}
