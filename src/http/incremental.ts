import type { IncomingMessage } from 'node:http';
import { BREAK, visit, type DocumentNode, type ExecutionResult, type GraphQLError } from 'graphql';

/** A piece of an answer that comes in pieces (GraphQL, "Incremental Delivery", in the form that Yoga speaks). */
export interface Part extends ExecutionResult {
  readonly incremental?: readonly { readonly errors?: readonly GraphQLError[] }[];
  readonly hasNext?: boolean;
}

const directives: ReadonlySet<string> = new Set(['defer', 'stream']);
const known = new WeakMap<DocumentNode, boolean>();

/** Whether parts of an operation are wanted later, by `@defer` or `@stream`, and the client takes answers in pieces. */
export function isIncremental(document: DocumentNode, { headers }: IncomingMessage): boolean {
  // Who takes whole answers alone gets one: the directives leave that to the server.
  return usesDirectives(document) && /multipart\/mixed|text\/event-stream/.test(headers.accept ?? '');
}

/** Whether an operation is written to be answered in pieces. */
export function usesDirectives(document: DocumentNode): boolean {
  const answer = known.get(document) ?? hasDirective(document);
  known.set(document, answer);
  return answer;
}

function hasDirective(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Directive({ name }) {
      found ||= directives.has(name.value);
      return found ? BREAK : undefined;
    },
  });
  return found;
}
