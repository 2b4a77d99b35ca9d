import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql';
import type { Cost } from '../limits/cost.ts';
import type { GraphqlRequest } from './request/graphql-request.ts';

/** An operation to be executed; its document is valid. */
export interface Operation {
  readonly document: DocumentNode;
  /** The one operation of the document that is asked for; null where there is none, or where several could be meant. */
  readonly definition: OperationDefinitionNode | null;
  readonly operationName: string | null | undefined;
  /** The variables as the client sent them. */
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  readonly request: GraphqlRequest;
  /** Whether its data may be written by the executor (`WrittenData`); absent means no. */
  readonly takesWritten?: boolean;
}

/** What is known of an operation before it runs. */
export interface Judgement {
  /** The operation's name in the document, without the caller's key; null where it has none. */
  readonly name: string | null;
  /** The variables, coerced to their declared types; null where they do not fit, or where there is no such operation. */
  readonly coerced: Readonly<Record<string, unknown>> | null;
  /** False where the operation selects no value whose numbers must be read digit for digit. */
  readonly needsExactNumbers: boolean;
  /** The most that the operation may cost; null where it cannot be estimated. */
  readonly cost: Cost | null;
  /** The result of an operation that must not run; null where it may. */
  readonly refusal: ExecutionResult | null;
}

/** A judgement that the rules are still making. */
export type OpenJudgement = { -readonly [Name in keyof Judgement]: Judgement[Name] };

/** Creates the judgement before any rule has looked at the operation. */
export function newJudgement(): OpenJudgement {
  return { name: null, coerced: null, needsExactNumbers: true, cost: null, refusal: null };
}
