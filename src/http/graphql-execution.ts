import { randomUUID } from 'node:crypto';
import { GraphQLError, Kind, visit, type DocumentNode, type ExecutionResult } from 'graphql';
import { type Executor, isSource, type Subscriber } from '../graphql/execution/executor.ts';
import { withinOneLine } from '../json.ts';
import type { EventResult, Execute } from '../live/stream.ts';
import {
  newPreparation,
  OperationRun,
  type CheckDocument,
  type CreateOperationContext,
  type GraphqlRule,
  type LiveStream,
  type Operation,
  type Preparation,
  type RequestWriter,
  type ResultPart,
} from './rules/operation-run.ts';
import { beginLifetime } from '../cancellation.ts';
import { asRefusal, notExecuted } from './response/error-response.ts';

/** Executes operations by the rules, on whichever path their requests come. */
export interface GraphqlExecution {
  /** Returns the errors of the first rule that refuses a document; none where the document may be served. */
  readonly checkDocument: CheckDocument;
  /** Prepares an operation, and creates its context unless it is refused. */
  begin(operation: Operation): OperationRun;
  /** Executes a query, unless it was refused. */
  execute(operation: Operation, run: OperationRun): ExecutionResult | Promise<ExecutionResult>;
  /** Begins a subscription, unless it was refused. The results of its events are finished; the result of a refusal is not. */
  subscribe(operation: Operation, run: OperationRun): Promise<ExecutionResult | LiveStream>;
  /** Changes a result to what its client gets. */
  finish(result: ExecutionResult, run: OperationRun, part?: ResultPart): ExecutionResult;
}

/** The rules, and the parts that execute. */
export interface GraphqlExecutionOptions {
  readonly rules: readonly GraphqlRule[];
  readonly executor: Executor;
  readonly subscriber: Subscriber;
  readonly createContext: CreateOperationContext;
}

/** The endpoint of a stream in the log and the metrics. A stream lasts as long as its client stays, unlike other requests. */
const streamEndpoint = '/graphql (stream)';

/** Creates the execution: the rules in their order, with the executor and the subscriber between them. */
export function createGraphqlExecution(options: GraphqlExecutionOptions): GraphqlExecution {
  const { rules, executor, subscriber, createContext } = options;
  const checks = rules.flatMap(({ checkDocument }) => checkDocument ?? []);
  const preparers = rules.flatMap((rule) => rule.prepare ?? []);
  const finishers = rules.flatMap((rule) => rule.finish ?? []);

  function prepare(operation: Operation): Preparation {
    const preparation = newPreparation();
    for (const prepareBy of preparers) {
      prepareBy(operation, preparation);
      if (preparation.refusal !== null) break;
    }
    return preparation;
  }

  const finish: GraphqlExecution['finish'] = (result, run, part = 'whole') => {
    let finished = result;
    for (const finishBy of finishers) finished = finishBy(finished, run, part);
    return finished;
  };

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
      const preparation = prepare(operation);
      const given = preparation.refusal === null ? createContext(request, preparation, request.exchange) : null;
      return new OperationRun(request, preparation, given);
    },
    execute(
      { document, operationName, variables, takesWritten = false },
      { preparation: { refusal, coerced }, given },
    ) {
      if (refusal !== null || given === null) return refusal ?? {};
      const { context } = given;
      const result = executor({ document, operationName, variables, coerced, context, takesWritten });
      return coerced === null ? Promise.resolve(result).then(notExecuted) : result;
    },
    async subscribe(operation, run) {
      const { preparation, given } = run;
      if (preparation.refusal !== null || given === null) return preparation.refusal ?? {};
      const { document, operationName, variables, request } = operation;
      const { coerced } = preparation;
      const source = await subscriber.begin({ document, operationName, variables, coerced, context: given.context });
      if (!isSource(source)) return coerced === null ? notExecuted(source) : asRefusal(source);
      request.exchange.record.endpoint = streamEndpoint;
      const execute = eventExecution(operation, preparation, { subscriber, createContext, finish });
      const iterator = {
        next: (): Promise<never> => new Promise(() => {}),
        return() {
          source.leave();
          return Promise.resolve({ done: true, value: undefined } as const);
        },
      };
      return (run.stream = {
        eventId: source.eventId,
        begin: (writer) => source.join(keyOf(operation), execute, writer),
        [Symbol.asyncIterator]: () => iterator,
      });
    },
    finish,
  };
}

const documentNumbers = new WeakMap<object, number>();
let documents = 0;

/**
 * Names everything that the result of an event depends on, but the event itself: equal operations of one caller are executed once
 * for all of their streams. Sources of different filters share nothing anyway.
 */
function keyOf({ document, definition, operationName, variables, request }: Operation): string {
  const number = documentNumbers.get(document) ?? ++documents;
  documentNumbers.set(document, number);
  const { req, wantsCost, wantsExplanation, lastEventId } = request;
  const asked = [wantsCost, wantsExplanation, lastEventId !== null];
  const beginning = beginningVariableOf(document, definition);
  const others = beginning === null ? variables : { ...variables, [beginning]: null };
  return JSON.stringify([number, operationName, others, req.headers.authorization, asked]);
}

/** The variable that says where a feed begins and nothing else: its events do not depend on it. Null where there is none. */
function beginningVariableOf(document: DocumentNode, definition: Operation['definition']): string | null {
  const field = definition?.selectionSet.selections[0];
  const argument = field?.kind === Kind.FIELD ? field.arguments?.find(({ name }) => name.value === 'after') : undefined;
  if (argument?.value.kind !== Kind.VARIABLE) return null;
  const name = argument.value.name.value;
  let uses = 0;
  // Its declaration is the other one.
  visit(document, { Variable: (variable) => void (uses += Number(variable.name.value === name)) });
  return uses === 2 ? name : null;
}

/** What executes the events of a stream. */
type EventParts = Pick<GraphqlExecutionOptions, 'subscriber' | 'createContext'> & Pick<GraphqlExecution, 'finish'>;

function eventExecution(
  { document, operationName, variables }: Operation,
  preparation: Preparation,
  { subscriber, createContext, finish }: EventParts,
): Execute<RequestWriter> {
  return (event, { request: asking }, signal) => {
    const lifetime = beginLifetime(signal);
    // The one that asks may leave meanwhile, and the others stay.
    const { requestId, record, trace, hideKey } = asking.exchange;
    const request = { ...asking, exchange: { requestId, record, trace, hideKey, ...lifetime.of } };
    const given = createContext(request, preparation, lifetime.of);
    const run = new OperationRun(request, preparation, given, eventIdMark);
    const complete = (result: ExecutionResult): EventResult => {
      const made = eventResultOf(finish(result, run), event instanceof Error ? 'failure' : 'event');
      lifetime.end();
      return made;
    };
    // A fault of the gateway must not end the process, and with it all other streams.
    const fail = (failure: unknown): EventResult => {
      lifetime.end();
      return eventResultOf(finish({ data: null, errors: [errorOf(failure)] }, run, 'last'), 'fault');
    };
    try {
      const { coerced } = preparation;
      const result = subscriber.execute({ document, operationName, variables, coerced, context: given.context }, event);
      return result instanceof Promise ? result.then(complete).catch(fail) : complete(result);
    } catch (failure) {
      return fail(failure);
    }
  };
}

function errorOf(failure: unknown): GraphQLError {
  return new GraphQLError('The stream failed.', failure instanceof Error ? { originalError: failure } : {});
}

// Where each stream has a text of its own, one of these stands until the bytes are cut there. Nobody outside can know them.
const requestIdMark = randomUUID();
const eventIdMark = randomUUID();
const eachMark = new RegExp(`(${requestIdMark}|${eventIdMark})`);

/** The bytes of a finished result: of an event, of the failure that ends the stream, or of a fault in executing either. */
function eventResultOf(result: ExecutionResult, of: 'event' | 'failure' | 'fault'): EventResult {
  const { errors = [] } = result;
  const shared = errors.map((error) => {
    const { extensions, ...rest } = error.toJSON();
    return { ...rest, extensions: { ...extensions, requestId: requestIdMark } };
  });
  const hasMarks = errors.length > 0 || result.extensions !== undefined;
  const parts = partsOf(errors.length === 0 ? result : { ...result, errors: shared }, hasMarks);
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const errorCodes = errors.map(({ extensions }) => String(extensions['code']));
  const failure = of === 'event' ? null : partsOf(shared, hasMarks);
  return { parts, bytes, errorCodes, isLast: of === 'fault', ...(failure !== null && { failure }) };
}

function partsOf(value: unknown, hasMarks: boolean): EventResult['parts'] {
  const text = withinOneLine(JSON.stringify(value));
  return (hasMarks ? text.split(eachMark) : [text]).map((part) => {
    if (part === requestIdMark) return 'requestId';
    return part === eventIdMark ? 'eventId' : Buffer.from(part);
  });
}
