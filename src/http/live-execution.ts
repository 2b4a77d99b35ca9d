import { randomUUID } from 'node:crypto';
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Subscriber } from '../graphql/execution/subscriber.ts';
import type { DeliverySource } from '../live/delivery-feed.ts';
import type { EventResult, Execute, StreamEvent } from '../live/shared-stream.ts';
import type { Judgement, Operation } from './graphql-operation.ts';
import type { ResultPart } from './graphql-rule.ts';
import { OperationRun, type CreateOperationContext, type LiveStream, type RequestWriter } from './operation-run.ts';
import type { GraphqlRequest } from './request/graphql-request.ts';
import { beginLifetime } from './request/deadline.ts';

/** What executes the events of a stream. */
export interface LiveParts {
  readonly subscriber: Subscriber;
  readonly createContext: CreateOperationContext;
  readonly finish: (result: ExecutionResult, run: OperationRun, part?: ResultPart) => ExecutionResult;
}

/** Makes the stream of an operation. Equal operations of one caller are executed once for all of their streams. */
export function liveStreamOf(
  operation: Operation,
  judgement: Judgement,
  source: DeliverySource,
  parts: LiveParts,
): LiveStream {
  const iterator = {
    next: (): Promise<never> => new Promise(() => {}),
    return() {
      source.leave();
      return Promise.resolve({ done: true, value: undefined } as const);
    },
  };
  return {
    eventId: source.eventId,
    begin: (writer) => source.join(keyOf(operation), executionOf(operation, judgement, parts), writer),
    [Symbol.asyncIterator]: () => iterator,
  };
}

const documentNumbers = new WeakMap<object, number>();
let documents = 0;

/** Names everything that the result of an event depends on, but the event itself: sources of different filters share nothing anyway. */
function keyOf({ document, operationName, variables, request }: Operation): string {
  const number = documentNumbers.get(document) ?? ++documents;
  documentNumbers.set(document, number);
  const { req, wantsCost, wantsExplanation, lastEventId } = request;
  const asked = [wantsCost, wantsExplanation, lastEventId !== null];
  return JSON.stringify([number, operationName, variables, req.headers.authorization, asked]);
}

function executionOf(
  { document, operationName, variables }: Operation,
  judgement: Judgement,
  { subscriber, createContext, finish }: LiveParts,
): Execute<RequestWriter> {
  return (event: StreamEvent, { request: asking }, signal) => {
    const lifetime = beginLifetime(signal);
    // The one that asks may leave meanwhile, and the others stay.
    const { requestId, record, trace, hideKey } = asking.exchange;
    const exchange = { requestId, record, trace, hideKey, ...lifetime.of };
    const request: GraphqlRequest = { ...asking, exchange };
    const given = createContext(request, judgement, lifetime.of);
    const run = new OperationRun(request, judgement, given, eventIdMark);
    const complete = (result: ExecutionResult): EventResult => {
      const made = eventResultOf(finish(result, run));
      lifetime.end();
      return made;
    };
    // A fault of the gateway must not end the process, and with it all other streams.
    const fail = (failure: unknown): EventResult => {
      lifetime.end();
      return eventResultOf(finish({ data: null, errors: [errorOf(failure)] }, run, 'last'), true);
    };
    try {
      const result = subscriber.execute({ document, operationName, variables, context: given.context }, event);
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

/** The bytes of a finished result. */
function eventResultOf(result: ExecutionResult, isLast = false): EventResult {
  const { errors = [] } = result;
  const shared = errors.map((error) => {
    const { extensions, ...rest } = error.toJSON();
    return { ...rest, extensions: { ...extensions, requestId: requestIdMark } };
  });
  const text = JSON.stringify(errors.length === 0 ? result : { ...result, errors: shared });
  const hasMarks = errors.length > 0 || result.extensions !== undefined;
  const parts = (hasMarks ? text.split(eachMark) : [text]).map((part) => {
    if (part === requestIdMark) return 'requestId';
    return part === eventIdMark ? 'eventId' : Buffer.from(part);
  });
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  return { parts, bytes, errorCodes: errors.map(({ extensions }) => String(extensions['code'])), isLast };
}
