import { Kind, type ExecutionResult, type GraphQLError } from 'graphql';
import { createNameCheck, type NameCheck } from '../../graphql/schema/name-check.ts';

/** A piece of an answer that comes in pieces (GraphQL, "Incremental Delivery", in the form that Yoga speaks). */
export interface IncrementalPart extends ExecutionResult {
  readonly incremental?: readonly { readonly errors?: readonly GraphQLError[] }[];
  readonly hasNext?: boolean;
}

/** Whether an operation is written to be answered in pieces. */
export const usesDirectives: NameCheck = createNameCheck(Kind.DIRECTIVE, new Set(['defer', 'stream']));

/** An answer in pieces of which nobody wants any. */
export async function* noPieces(): AsyncGenerator<IncrementalPart> {}
