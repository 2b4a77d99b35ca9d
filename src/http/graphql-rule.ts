import type { DocumentNode, ExecutionResult, GraphQLError, ValidationRule } from 'graphql';
import type { Judgement, Operation } from './graphql-operation.ts';
import type { OperationRun } from './operation-run.ts';

/** Whether a result is all of a response or of an event, or a part of a response with others to follow, or its last part. */
export type ResultPart = 'whole' | 'followed' | 'last';

/** One rule for every GraphQL request, whichever path it takes. A rule acts at one of three moments or at several. */
export interface GraphqlRule {
  /** Finds what is wrong with a document that has not been served yet, by these rules of validation among others. */
  checkDocument?(document: DocumentNode, validationRules?: readonly ValidationRule[]): readonly GraphQLError[];
  /** Adds to what is known of an operation before it runs. The first refusal is its result. */
  judge?(operation: Operation, judgement: Judgement): Partial<Judgement>;
  /** Makes of a result what its client gets. Results are whole, parts, or those of events. */
  finish?(result: ExecutionResult, run: OperationRun, part: ResultPart): ExecutionResult;
}
