import type { DocumentNode, ExecutionResult, GraphQLError, ValidationRule } from 'graphql';
import type { OpenJudgement, Operation } from './graphql-operation.ts';
import type { OperationRun } from './operation-run.ts';

/** The place of a result in its response: all of a response or event, a part that others follow, or the last part. */
export type ResultPart = 'whole' | 'followed' | 'last';

/** One rule for every GraphQL request, on every path. A rule acts at one or several of three moments. */
export interface GraphqlRule {
  /** Returns the errors of a document before it is served for the first time. Yoga passes its rules of validation, the fast path none. */
  checkDocument?(document: DocumentNode, validationRules?: readonly ValidationRule[]): readonly GraphQLError[];
  /** Adds to the judgement of an operation before it runs. The first refusal becomes the result. */
  judge?(operation: Operation, judgement: OpenJudgement): void;
  /** Turns a result into what its client gets. It is called for whole results, for parts, and for events. */
  finish?(result: ExecutionResult, run: OperationRun, part: ResultPart): ExecutionResult;
}
