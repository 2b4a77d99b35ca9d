import type { DocumentNode, ExecutionResult } from 'graphql';
import type { Cost } from '../limits/cost.ts';
import type { GraphqlRequest } from './request/graphql-request.ts';

/** An operation to be executed; its document is valid. */
export interface Operation {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  /** As they came. */
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  readonly request: GraphqlRequest;
}

/** What is known of an operation before it runs. */
export interface Judgement {
  /** The name that the document gives it, without the caller's key; null where it has none. */
  readonly name: string | null;
  /** Its variables as it declares them; null where they do not fit, or where there is no such operation. */
  readonly coerced: Readonly<Record<string, unknown>> | null;
  /** False where it selects no value whose numbers must be read digit for digit. */
  readonly needsExactNumbers: boolean;
  /** What it may cost at most; null where nobody can say. */
  readonly cost: Cost | null;
  /** The result of an operation that must not run; null where it may. */
  readonly refusal: ExecutionResult | null;
}

/** A judgement before any rule has looked at the operation. */
export const unjudged: Judgement = { name: null, coerced: null, needsExactNumbers: true, cost: null, refusal: null };
