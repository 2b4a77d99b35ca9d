import { Kind, type ExecutionResult, type GraphQLError } from 'graphql';
import { piecesPerResponse } from '../../bounds.ts';
import { createNameCheck, type NameCheck } from '../../graphql/schema/name-check.ts';
import type { Judgement } from '../graphql-operation.ts';

/** A part of a response that comes in pieces (GraphQL, "Incremental Delivery", in the form that Yoga speaks). */
export interface IncrementalPart extends ExecutionResult {
  readonly incremental?: readonly { readonly errors?: readonly GraphQLError[] }[];
  readonly hasNext?: boolean;
}

/** Finds whether an operation is written to be answered in pieces, by `@defer` and `@stream`. */
export function createIncrementalCheck(): NameCheck {
  return createNameCheck(Kind.DIRECTIVE, new Set(['defer', 'stream']));
}

/** Whether an operation may be answered in pieces: those are few enough. */
export function mayComeInPieces({ cost }: Judgement): boolean {
  return cost !== null && cost.pieces <= piecesPerResponse;
}

/** A response in pieces of which nobody wants any. */
export async function* noPieces(): AsyncGenerator<IncrementalPart> {}
