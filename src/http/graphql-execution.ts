import type { ExecutionResult } from 'graphql';
import type { Executor } from '../graphql/execution/executor.ts';
import type { Subscriber } from '../graphql/execution/subscriber.ts';
import { unjudged, type Judgement, type Operation } from './graphql-operation.ts';
import type { GraphqlRule, ResultPart } from './graphql-rule.ts';
import { OperationRun, type CreateOperationContext } from './operation-run.ts';
import type { GraphqlRequest } from './request/graphql-request.ts';
import { createLifetimes } from './request/lifetime.ts';
import { asRefusal, notExecuted } from './response/request-error.ts';

/** Carries out operations by the rules, whichever path their request takes. */
export interface GraphqlExecution {
  /** Finds what is wrong with a document, by the first rule that finds something; nothing where it may be served. */
  readonly checkDocument: CheckDocument;
  /** Judges an operation and makes what it runs with, unless it is refused. */
  begin(operation: Operation): OperationRun;
  /** Executes a query, unless it was refused. */
  execute(operation: Operation, run: OperationRun): ExecutionResult | Promise<ExecutionResult>;
  /** Begins a subscription, unless it was refused. The results of its events are finished, that of a refusal is not. */
  subscribe(operation: Operation, run: OperationRun): Promise<ExecutionResult | AsyncIterable<ExecutionResult>>;
  /** Makes of a result what its client gets. */
  finish(result: ExecutionResult, run: OperationRun, part?: ResultPart): ExecutionResult;
}

/** Finds what is wrong with a document. */
export type CheckDocument = NonNullable<GraphqlRule['checkDocument']>;

/** What executes, and by which rules. */
export interface GraphqlExecutionOptions {
  readonly rules: readonly GraphqlRule[];
  readonly executor: Executor;
  readonly subscriber: Subscriber;
  readonly createContext: CreateOperationContext;
}

/** How the log and the metrics call a request that is answered by a stream: it lasts as long as its client stays. */
const streamEndpoint = '/graphql (stream)';

/** The run of a request that was refused before it became an operation. */
export function refusedRun(request: GraphqlRequest): OperationRun {
  return new OperationRun(request, unjudged, null);
}

/** The rules, and who executes between them. */
export function createGraphqlExecution(options: GraphqlExecutionOptions): GraphqlExecution {
  const { rules, executor, subscriber, createContext } = options;
  const checks = rules.flatMap((rule) => rule.checkDocument?.bind(rule) ?? []);
  const judges = rules.flatMap((rule) => rule.judge?.bind(rule) ?? []);
  const finishers = rules.flatMap((rule) => rule.finish?.bind(rule) ?? []);

  function judge(operation: Operation): Judgement {
    let judgement = unjudged;
    for (const look of judges) {
      judgement = { ...judgement, ...look(operation, judgement) };
      if (judgement.refusal !== null) break;
    }
    return judgement;
  }

  function finish(result: ExecutionResult, run: OperationRun, part: ResultPart = 'whole'): ExecutionResult {
    let finished = result;
    for (const make of finishers) finished = make(finished, run, part);
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
    execute({ document, operationName, variables }, { judgement: { refusal, coerced }, given }) {
      if (refusal !== null || given === null) return refusal ?? {};
      const result = executor({ document, operationName, variables, coerced, context: given.context });
      return coerced === null ? Promise.resolve(result).then(notExecuted) : result;
    },
    async subscribe({ document, operationName, variables, request }, run) {
      const { judgement, given } = run;
      if (judgement.refusal !== null || given === null) return judgement.refusal ?? {};
      const lifetimes = createLifetimes(request.exchange);
      let event = run;
      const stream = await subscriber({ document, operationName, variables, context: given.context }, () => {
        const ofEvent = createContext(request, judgement, lifetimes.begin());
        event = run.ofEvent(ofEvent);
        return { context: ofEvent.context, end: () => lifetimes.end() };
      });
      if (!(Symbol.asyncIterator in stream))
        return judgement.coerced === null ? notExecuted(stream) : asRefusal(stream);
      request.exchange.record.noteEndpoint(streamEndpoint);
      return mapResults(stream, (result) => finish(result, event));
    },
    finish,
  };
}

type Results = AsyncIterableIterator<ExecutionResult, undefined>;

function mapResults(results: Results, finish: (result: ExecutionResult) => ExecutionResult): Results {
  const mapped: Results = {
    async next() {
      const { done, value } = await results.next();
      return done === true ? { done, value } : { done: false, value: finish(value) };
    },
    return: async () => (await results.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => mapped,
  };
  return mapped;
}
