import type { DocumentNode, GraphQLError, GraphQLSchema, Source, ValidationRule } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Documents, ReadText } from '../documents.ts';

/** What the fast path hands on with a request. */
export interface FromFastPath {
  /** What it has read the text as; null where the text is known, or has not been read. */
  readonly read: ReadText | null;
}

/** Reads and checks the documents of requests. What the fast path has done of it is not done again. */
export function useDocuments(documents: Documents): Plugin<object, FromFastPath> {
  function documentOf(text: string, given: ReadText | null): DocumentNode {
    const read = given?.text === text ? given : documents.read(text);
    if ('error' in read) throw read.error;
    return read.document;
  }

  return {
    onParse({ params: { source }, context, setParsedDocument, setParseFn }) {
      const text = textOf(source);
      const document = documents.find(text);
      if (document !== undefined) setParsedDocument(document);
      else setParseFn(() => documentOf(text, (context as unknown as FromFastPath).read));
    },
    onValidate({ params: { documentAST }, context, setResult, setValidationFn }) {
      const errors = documents.isValid(documentAST as DocumentNode)
        ? []
        : errorsIn((context as unknown as FromFastPath).read, documentAST as DocumentNode);
      if (errors !== null) setResult([...errors]);
      else
        setValidationFn((_schema: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
          documents.check(document, rules),
        );
    },
  };
}

function errorsIn(read: ReadText | null, document: DocumentNode): readonly GraphQLError[] | null {
  return read !== null && 'document' in read && read.document === document ? read.errors : null;
}

function textOf(source: string | Source): string {
  return typeof source === 'string' ? source : source.body;
}
