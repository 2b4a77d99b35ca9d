import type { IncomingMessage } from 'node:http';
import { getOperationAST, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { piecesPerResponse } from '../bounds.ts';
import type { Context } from '../graphql/context.ts';
import type { Executor } from '../graphql/execution/executor.ts';
import { createFreeFormCheck } from '../graphql/schema/free-form.ts';
import type { Event, Subscriber } from '../graphql/execution/subscriber.ts';
import { coerceVariables } from '../graphql/execution/variable-values.ts';
import type { EstimateCost } from '../limits/cost.ts';
import { tooComplex } from '../limits/too-complex.ts';
import { describeFailure, type Log } from '../telemetry/log.ts';
import type { CountViolation } from '../telemetry/violation-counter.ts';
import { inResponseOrder } from './response/error-order.ts';
import { createResponseViolations } from './response/response-violations.ts';
import { ErrorReport } from './response/error-report.ts';
import { endExecution, type Exchange } from './request/exchange.ts';
import { maskedError } from './response/mask-errors.ts';
import { requestError } from './response/request-error.ts';

/** An operation on its way to being executed; its document is valid and within the limits. */
export interface OperationRequest {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  readonly exchange: Exchange;
}

/** What is known of an operation before it runs. */
export interface Judgement {
  /** Its variables as it declares them; null where they do not fit, or where there is no such operation. */
  readonly coerced: Readonly<Record<string, unknown>> | null;
  /** The answer to an operation whose variables do not fit, or that may cost too much; null where it may run. */
  readonly refusal: ExecutionResult | null;
  /** Whether `@defer` and `@stream` may have it answered in pieces: those are few enough. */
  readonly mayComeInPieces: boolean;
}

/** The rules for every operation, whichever way its request came in. */
export interface GraphqlExecution {
  /** Notes it for the log, and refuses it where it may cost too much. */
  judge(request: OperationRequest): Judgement;
  /** Executes it, unless it is refused. */
  execute(request: OperationRequest, context: Context): ExecutionResult | Promise<ExecutionResult>;
  /** Begins a subscription, unless it is refused; the results of its events are finished, that of a refusal is not. */
  subscribe(request: StreamRequest, context: Context): Promise<ExecutionResult | AsyncIterable<ExecutionResult>>;
  /** Words the errors of a result, or of a part of one which others follow, for its client: those that the whole answer tells. */
  format<Result extends ExecutionResult>(result: Result, exchange: Exchange, othersFollow?: boolean): Result;
  /** As `format`, of a whole result: adds its cost and its calls where they are asked for. */
  finish(result: ExecutionResult, exchange: Exchange, withCost: boolean): ExecutionResult;
}

/** A subscription on its way to being begun. */
export interface StreamRequest extends OperationRequest {
  /** Begins what each event is answered with. */
  readonly beginEvent: () => Event;
  /** Whether each result tells what it costs. */
  readonly withCost: boolean;
}

/** What the rules are made of. */
export interface GraphqlExecutionOptions {
  readonly schema: GraphQLSchema;
  readonly executor: Executor;
  readonly subscriber: Subscriber;
  readonly estimateCost: EstimateCost;
  /** The most that an operation may cost, in calls and objects. */
  readonly mostCost: number;
  readonly log: Log;
  readonly countViolation: CountViolation;
}

/** How the log and the metrics call a request that is answered by a stream: it lasts as long as its client stays. */
const streamEndpoint = '/graphql (stream)';

const longestName = 100;
// graphql-js will say which it misses.
const noOperation = { coerced: null, errors: undefined };
// A stream may go on failing for days; the log names each code once.
const mostCodes = 10_000;

/** Whether a client asked, by `X-Cost: 1`, to be told what its operation costs. */
export function isCostAsked({ headers }: IncomingMessage): boolean {
  return headers['x-cost'] === '1';
}

/** The rules over one schema, and who executes. */
export function createGraphqlExecution(options: GraphqlExecutionOptions): GraphqlExecution {
  const { schema, executor, subscriber, estimateCost, mostCost, log, countViolation } = options;
  const violations = createResponseViolations(countViolation);
  const reports = new WeakMap<Exchange, ErrorReport>();
  const selectsFreeForm = createFreeFormCheck(schema);

  function judge({ document, operationName, variables, exchange }: OperationRequest): Judgement {
    const operation = getOperationAST(document, operationName) ?? null;
    const name = operation?.name?.value ?? null;
    exchange.operationName = name && exchange.hideKey(name, name.length > longestName ? longestName : undefined);
    exchange.needsExactNumbers = selectsFreeForm(document);
    const { coerced, errors } = operation ? coerceVariables(schema, operation, variables ?? {}) : noOperation;
    if (errors !== undefined) return { coerced, mayComeInPieces: false, refusal: notExecuted({ errors }) };
    const cost = operation && coerced && estimateCost(document, operation, coerced);
    const total = cost && cost.calls + cost.objects;
    exchange.estimatedCost = total;
    const isTooMuch = total !== null && total > mostCost;
    return {
      coerced,
      mayComeInPieces: cost !== null && cost.pieces <= piecesPerResponse,
      refusal: isTooMuch ? { errors: [requestError(tooComplex('cost', 'calls and objects', mostCost, total))] } : null,
    };
  }

  const format: GraphqlExecution['format'] = (result, exchange, othersFollow = false) => {
    if (result.errors === undefined) return result;
    violations.count(result.errors, exchange);
    const report = reports.get(exchange) ?? new ErrorReport();
    reports.set(exchange, report);
    const { errors: _errors, ...rest } = result;
    const errors = report.tell(maskedErrors(result, exchange, log), othersFollow);
    const codes = errors.map(({ extensions }) => String(extensions['code']));
    exchange.errorCodes.push(...codes.slice(0, mostCodes - exchange.errorCodes.length));
    // What is told of an answer that comes in pieces may have been told before.
    return (errors.length === 0 ? rest : { ...rest, errors }) as typeof result;
  };

  function finish(result: ExecutionResult, exchange: Exchange, withCost: boolean): ExecutionResult {
    const { estimatedCost, upstreamCalls } = exchange;
    const formatted = format(result, exchange);
    violations.end(exchange);
    reports.delete(exchange);
    endExecution(exchange);
    const explain = exchange.tellCalls?.();
    const cost = withCost && estimatedCost !== null ? { estimated: estimatedCost, upstreamCalls } : undefined;
    // For clients that do not hand on the id of an event: who sends the header, also an empty one, is told.
    const lastEventId = exchange.lastEventId === null ? undefined : exchange.eventId?.();
    if (cost === undefined && explain === undefined && lastEventId === undefined) return formatted;
    const told = { ...(cost && { cost }), ...(explain && { explain }), ...(lastEventId && { lastEventId }) };
    const extensions = { ...formatted.extensions, ...told };
    return { ...formatted, extensions };
  }

  return {
    judge,
    execute(request, context) {
      const { refusal, coerced } = judge(request);
      if (refusal !== null) return refusal;
      const { document, operationName, variables } = request;
      const result = executor({ document, operationName, variables, coerced, context });
      return coerced === null ? Promise.resolve(result).then(notExecuted) : result;
    },
    format,
    async subscribe(request, context) {
      const { refusal, coerced } = judge(request);
      if (refusal !== null) return refusal;
      const { document, operationName, variables, exchange, beginEvent, withCost } = request;
      const stream = await subscriber({ document, operationName, variables, context }, beginEvent);
      if (!(Symbol.asyncIterator in stream)) return coerced === null ? notExecuted(stream) : asRefusal(stream);
      exchange.endpoint = streamEndpoint;
      return mapResults(stream, (result) => finish(result, exchange, withCost));
    },
    finish,
  };
}

/** GraphQL over HTTP, "Status codes": what was not executed at all is a fault of the request. */
function notExecuted(result: ExecutionResult): ExecutionResult {
  for (const { extensions } of result.errors ?? []) Object.assign(extensions, { http: { status: 400 } });
  return result;
}

/** The errors of a subscription that has not begun are the whole answer, although they have a path. */
function asRefusal(result: ExecutionResult): ExecutionResult {
  for (const { extensions } of result.errors ?? []) Object.assign(extensions, { http: { spec: true } });
  return result;
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

/** Every error of a result, to be formatted; also of requests that never reached execution. */
function maskedErrors(result: ExecutionResult, exchange: Exchange, log: Log) {
  const report = (cause: unknown): void => {
    // What fails because its client has left is nobody's fault.
    if (exchange.signal.aborted) return;
    log.error({ requestId: exchange.requestId, error: describeFailure(cause) }, 'internal error');
  };
  return inResponseOrder(result).map((error) => maskedError(error, exchange, report));
}
