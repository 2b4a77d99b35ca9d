import { randomUUID } from 'node:crypto';
import { GraphQLError, Kind, visit, type DocumentNode, type ExecutionResult } from 'graphql';
import { type Executor, isSource, type Subscriber } from '../graphql/execution/executor.ts';
import type { Context } from '../graphql/context.ts';
import { withinOneLine } from '../json.ts';
import type { EventResult, Execute } from '../live/stream.ts';
import { beginLifetime } from '../cancellation.ts';
import { streamRefusal } from './response/refusal.ts';
import type { Asked, CheckDocument, GraphqlRule, LiveStream, RequestWriter, ResultPart, Run } from './run.ts';

/** Executes operations by the rules, on whichever path their requests come. */
export interface GraphqlExecution {
  /** Returns the errors of the first rule that refuses a document; none if the document may be served. */
  readonly checkDocument: CheckDocument;
  /** Prepares a run, and creates its context unless it is refused. */
  begin(run: Run): void;
  /** Executes a query, unless it was refused. */
  execute(run: Run): ExecutionResult | Promise<ExecutionResult>;
  /** Begins a subscription, unless it is refused: a stream, whose results are finished, or a result with errors, which is not. */
  subscribe(run: Run): Promise<ExecutionResult | LiveStream>;
  /** Changes a result to what its client gets. */
  finish(result: ExecutionResult, run: Run, part?: ResultPart): ExecutionResult;
}

/** The rules, and the parts that execute. */
export interface GraphqlExecutionOptions {
  readonly rules: readonly GraphqlRule[];
  readonly executor: Executor;
  readonly subscriber: Subscriber;
  /** Gives a run the context that it runs with. It ends with the run's lifetime. */
  readonly beginContext: (run: Run) => Context;
}

/** The endpoint of a stream in the log and the metrics. A stream lasts as long as its client stays, unlike other requests. */
const streamEndpoint = '/graphql (stream)';

/** Creates the execution: the rules in their order, with the executor and the subscriber between them. */
export function createGraphqlExecution(options: GraphqlExecutionOptions): GraphqlExecution {
  const { rules, executor, subscriber, beginContext } = options;
  const checks = rules.flatMap(({ checkDocument }) => checkDocument ?? []);
  const preparers = rules.flatMap((rule) => rule.prepare ?? []);
  const finishers = rules.flatMap((rule) => rule.finish ?? []);

  const finish: GraphqlExecution['finish'] = (result, run, part = 'whole') => {
    let finished = result;
    for (const finishBy of finishers) finished = finishBy(finished, run, part);
    return finished;
  };

  return {
    checkDocument(document) {
      for (const check of checks) {
        const errors = check(document);
        if (errors.length > 0) return errors.map(withCode);
      }
      return [];
    },
    begin(run) {
      for (const prepare of preparers) {
        if (run.refusal !== null) return;
        prepare(run);
      }
      if (run.refusal === null) run.context = beginContext(run);
    },
    execute({ asked, coerced, context, takesWritten, refusal }) {
      if (context === null) return { errors: refusal?.errors ?? [] };
      const { document, operationName, variables } = asked;
      return executor({ document, operationName, variables, coerced, context, takesWritten });
    },
    async subscribe(run) {
      const { asked, coerced, context, request } = run;
      if (context === null) return { errors: run.refusal?.errors ?? [] };
      const { document, operationName, variables } = asked;
      const source = await subscriber.begin({ document, operationName, variables, coerced, context });
      if (!isSource(source)) {
        run.refusal = streamRefusal(source.errors ?? []);
        return source;
      }
      request.endpoint = streamEndpoint;
      const execute = eventExecution(run, { subscriber, beginContext, finish });
      return (run.stream = {
        eventId: source.eventId,
        begin: (writer) => source.join(keyOf(run), execute, writer),
        leave: () => source.leave(),
      });
    },
    finish,
  };
}

/** An error that says what is wrong with a document has a code, as Yoga gives it. */
function withCode(error: GraphQLError): GraphQLError {
  if (error.originalError === undefined) error.extensions['code'] ??= 'GRAPHQL_VALIDATION_FAILED';
  return error;
}

const documentNumbers = new WeakMap<object, number>();
let documents = 0;

/**
 * Names everything that the result of an event depends on, but the event itself: equal operations of one caller are executed once
 * for all of their streams. Sources of different filters share nothing anyway.
 */
function keyOf({ asked: { document, definition, operationName, variables }, request }: Run): string {
  const number = documentNumbers.get(document) ?? ++documents;
  documentNumbers.set(document, number);
  const { req, wantsCost, wantsExplanation, lastEventId } = request;
  const asked = [wantsCost, wantsExplanation, lastEventId !== null];
  const beginning = beginningVariableOf(document, definition);
  const others = beginning === null ? variables : { ...variables, [beginning]: null };
  return JSON.stringify([number, operationName, others, req.headers.authorization, asked]);
}

/** The variable that says where a feed begins and nothing else: its events do not depend on it. Null where there is none. */
function beginningVariableOf(document: DocumentNode, definition: Asked['definition']): string | null {
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
type EventParts = Pick<GraphqlExecutionOptions, 'subscriber' | 'beginContext'> & Pick<GraphqlExecution, 'finish'>;

function eventExecution(begun: Run, { subscriber, beginContext, finish }: EventParts): Execute<RequestWriter> {
  return (event, { request }, signal) => {
    // The one that asks may leave meanwhile, and the others stay.
    const lifetime = beginLifetime(signal);
    const run = begun.ofEvent(request, lifetime.of, eventIdMark);
    const context = (run.context = beginContext(run));
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
      const { document, operationName, variables } = run.asked;
      const result = subscriber.execute({ document, operationName, variables, coerced: run.coerced, context }, event);
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
