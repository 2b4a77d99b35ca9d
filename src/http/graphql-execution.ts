import type { ExecutionResult } from 'graphql';
import type { Executor } from '../graphql/execution/executor.ts';
import { isSource, type Subscriber } from '../graphql/execution/subscriber.ts';
import { newJudgement, type Judgement, type Operation } from './graphql-operation.ts';
import type { GraphqlRule, ResultPart } from './graphql-rule.ts';
import { liveStreamOf } from './live-execution.ts';
import { OperationRun, type CreateOperationContext, type LiveStream } from './operation-run.ts';
import type { GraphqlRequest } from './request/graphql-request.ts';
import { asRefusal, notExecuted } from './response/error-response.ts';

/** Executes operations by the rules, on whichever path their requests come. */
export interface GraphqlExecution {
  /** Returns the errors of the first rule that refuses a document; none where the document may be served. */
  readonly checkDocument: CheckDocument;
  /** Judges an operation, and creates its context unless it is refused. */
  begin(operation: Operation): OperationRun;
  /** Executes a query, unless it was refused. */
  execute(operation: Operation, run: OperationRun): ExecutionResult | Promise<ExecutionResult>;
  /** Begins a subscription, unless it was refused. The results of its events are finished; the result of a refusal is not. */
  subscribe(operation: Operation, run: OperationRun): Promise<ExecutionResult | LiveStream>;
  /** Turns a result into what its client gets. */
  finish(result: ExecutionResult, run: OperationRun, part?: ResultPart): ExecutionResult;
}

/** Returns the errors of a document. */
export type CheckDocument = NonNullable<GraphqlRule['checkDocument']>;

/** The rules, and the parts that execute. */
export interface GraphqlExecutionOptions {
  readonly rules: readonly GraphqlRule[];
  readonly executor: Executor;
  readonly subscriber: Subscriber;
  readonly createContext: CreateOperationContext;
}

/** The endpoint of a stream in the log and the metrics. A stream lasts as long as its client stays, unlike other requests. */
const streamEndpoint = '/graphql (stream)';

/** Creates the run of a request that was refused before it became an operation. */
export function refusedRun(request: GraphqlRequest): OperationRun {
  return new OperationRun(request, newJudgement(), null);
}

/** Creates the execution: the rules in their order, with the executor and the subscriber between them. */
export function createGraphqlExecution(options: GraphqlExecutionOptions): GraphqlExecution {
  const { rules, executor, subscriber, createContext } = options;
  const checks = rules.flatMap((rule) => rule.checkDocument?.bind(rule) ?? []);
  const judges = rules.flatMap((rule) => rule.judge?.bind(rule) ?? []);
  const finishers = rules.flatMap((rule) => rule.finish?.bind(rule) ?? []);

  function judge(operation: Operation): Judgement {
    const judgement = newJudgement();
    for (const judgeBy of judges) {
      judgeBy(operation, judgement);
      if (judgement.refusal !== null) break;
    }
    return judgement;
  }

  function finish(result: ExecutionResult, run: OperationRun, part: ResultPart = 'whole'): ExecutionResult {
    let finished = result;
    for (const finishBy of finishers) finished = finishBy(finished, run, part);
    return finished;
  }

  return {
    checkDocument(document, validationRules) {
      for (const check of checks) {
        const errors = check(document, validationRules);
        if (errors.length > 0) return errors;
      }
      return [];
    },
    begin(operation) {
      const { request } = operation;
      const judgement = judge(operation);
      const given = judgement.refusal === null ? createContext(request, judgement, request.exchange) : null;
      return new OperationRun(request, judgement, given);
    },
    execute({ document, operationName, variables, takesWritten = false }, { judgement: { refusal, coerced }, given }) {
      if (refusal !== null || given === null) return refusal ?? {};
      const { context } = given;
      const result = executor({ document, operationName, variables, coerced, context, takesWritten });
      return coerced === null ? Promise.resolve(result).then(notExecuted) : result;
    },
    async subscribe(operation, run) {
      const { judgement, given } = run;
      if (judgement.refusal !== null || given === null) return judgement.refusal ?? {};
      const { document, operationName, variables, request } = operation;
      const source = await subscriber.begin({ document, operationName, variables, context: given.context });
      if (!isSource(source)) return judgement.coerced === null ? notExecuted(source) : asRefusal(source);
      request.exchange.record.noteEndpoint(streamEndpoint);
      return (run.stream = liveStreamOf(operation, judgement, source, { subscriber, createContext, finish }));
    },
    finish,
  };
}
