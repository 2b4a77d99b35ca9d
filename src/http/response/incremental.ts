import { Kind, type ExecutionResult, type GraphQLError } from 'graphql';
import { piecesPerResponse } from '../../bounds.ts';
import { createNameCheck, type NameCheck } from '../../graphql/schema/name-check.ts';
import type { Judgement } from '../graphql-operation.ts';

/** A part of a response that comes in pieces (GraphQL, "Incremental Delivery", in the form that Yoga sends). */
export interface IncrementalPart extends ExecutionResult {
  readonly incremental?: readonly { readonly errors?: readonly GraphQLError[] }[];
  readonly hasNext?: boolean;
}

/** Creates a check for documents that ask for a response in pieces, by `@defer` or `@stream`. */
export function createIncrementalCheck(): NameCheck {
  return createNameCheck(Kind.DIRECTIVE, new Set(['defer', 'stream']));
}

/** Whether the response of an operation may come in pieces: at most `piecesPerResponse`. */
export function mayComeInPieces({ cost }: Judgement): boolean {
  return cost !== null && cost.pieces <= piecesPerResponse;
}

/** An empty response in pieces, for a request that wants the head alone. */
export async function* noPieces(): AsyncGenerator<IncrementalPart> {}

/**
 * Removes the headers by which libraries frame their streams. Node alone knows whether the connection is kept, and whether its
 * client's version of HTTP has chunks (RFC 9112, sections 6.1 and 9.6).
 */
export function leaveFramingToNode(headers: Pick<Headers, 'delete'>): void {
  for (const name of ['connection', 'transfer-encoding']) headers.delete(name);
}
