import type { IncomingMessage } from 'node:http';
import { Kind, type DocumentNode, type ExecutionResult, type GraphQLError } from 'graphql';
import { createNameCheck, type NameCheck } from '../graphql/name-check.ts';

/** A piece of an answer that comes in pieces (GraphQL, "Incremental Delivery", in the form that Yoga speaks). */
export interface Part extends ExecutionResult {
  readonly incremental?: readonly { readonly errors?: readonly GraphQLError[] }[];
  readonly hasNext?: boolean;
}

/** Whether an operation is written to be answered in pieces. */
export const usesDirectives: NameCheck = createNameCheck(Kind.DIRECTIVE, new Set(['defer', 'stream']));

/** Whether parts of an operation are wanted later, by `@defer` or `@stream`, and the client takes answers in pieces. */
export function isIncremental(document: DocumentNode, { headers }: IncomingMessage): boolean {
  // Who takes whole answers alone gets one: the directives leave that to the server.
  return usesDirectives(document) && /multipart\/mixed|text\/event-stream/.test(headers.accept ?? '');
}
