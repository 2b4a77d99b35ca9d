import { randomUUID } from 'node:crypto';
import {
  type DocumentNode,
  type ExecutionResult,
  type OperationDefinitionNode,
  Kind,
  OperationTypeNode,
  parse,
  visit,
} from 'graphql';
import { type Lifetime, beginLifetime } from '../cancellation.ts';
import type { Context } from '../graphql/context.ts';
import type { Values } from '../graphql/document.ts';
import type { Usage } from '../graphql/usage.ts';
import type { Cost } from '../limits/cost.ts';
import type { StreamWriter, EventResult, Execute } from '../live/stream.ts';
import type { Executor } from '../graphql/execution/executor.ts';
import { withinOneLine } from '../json.ts';
import type { RateLimit } from '../upstream/response/rate-limit-fields.ts';
import type { Request } from './request/request.ts';
import { ErrorReport, type Refusal, requestError, streamRefusal } from './response/error-response.ts';

/** Bytes of the API's from which an answer is written in slices; of an answer with free-form values, of fewer bytes too. */
const answeredBytes = 131_072;

/** What is asked for. */
type Asked = Pick<Run, 'document' | 'definition' | 'variables'>;

const noDocument = parse('{ nothing }');
const nothing: Asked = {
  document: noDocument,
  definition: noDocument.definitions[0] as OperationDefinitionNode,
  variables: {},
};

/**
 * One execution of an operation, from its document to its result: a response in one piece or in several, or one event of a stream.
 * Nothing of it is shared.
 */
export class Run {
  readonly request: Request;
  /** It is valid unless the run is refused. */
  readonly document: DocumentNode;
  /** The one operation of the document that is asked for. */
  readonly definition: OperationDefinitionNode;
  /** As the client sent them. */
  readonly variables: Values;
  /** The run ends with it: with the request, or with the event. */
  readonly lifetime: Lifetime;
  /** Whether it is for an event of a stream, whose result the streams share. */
  readonly isEvent: boolean;
  /** Why it does not run; null if it does. The first refusal counts. */
  refusal: Refusal | null;

  // What the rules find out before it runs.
  /** The variables, coerced to their declared types. */
  coerced: Values = {};
  /** Whether it selects free-form values, which may take long to be written. */
  selectsFreeForm = true;
  /** The most that it may cost; null if that cannot be estimated. */
  cost: Cost | null = null;
  /** What it uses of the schema; null if nobody has asked. */
  usage: Usage | null = null;

  // What it runs with, and what is noted meanwhile.
  /** The context of the resolvers; null until it begins. */
  context: Context | null = null;
  /** Whether the executor may write its data (`WrittenData`). */
  takesWritten = false;
  /** Returns the upstream calls that it has caused; null if the client has not asked for them. */
  explainCalls: (() => readonly object[]) | null = null;
  /** Bytes of the API's that have been read for it. */
  bytesRead = 0;
  /** The tightest rate limit that its calls have been told; null if none was. */
  rateLimit: RateLimit | null = null;
  readonly #held: (() => void)[] = [];
  #errors: ErrorReport | null = null;

  constructor(
    request: Request,
    { document, definition, variables }: Asked = nothing,
    refusal: Refusal | null = null,
    lifetime: Lifetime | null = null,
  ) {
    this.request = request;
    this.document = document;
    this.definition = definition;
    this.variables = variables;
    this.refusal = refusal;
    this.lifetime = lifetime ?? request;
    this.isEvent = lifetime !== null;
  }

  /** The run for one event of the stream that this one has begun. `request` is that of a reader who is there. */
  ofEvent(request: Request, lifetime: Lifetime): Run {
    const run = new Run(request, this, null, lifetime);
    run.coerced = this.coerced;
    run.selectsFreeForm = this.selectsFreeForm;
    run.cost = this.cost;
    run.usage = this.usage;
    return run;
  }

  /** The report of errors that all its results share. */
  get errors(): ErrorReport {
    return (this.#errors ??= new ErrorReport(this.request, this.lifetime.signal));
  }

  /** Whether its response may take long to be written. */
  get isLong(): boolean {
    return this.bytesRead >= answeredBytes || (this.bytesRead > 0 && this.selectsFreeForm);
  }

  /** Holds the memory of an upstream response until the data are whole, or until nobody waits for them. */
  hold(release: () => void): void {
    if (this.#held.length === 0) this.lifetime.whenEnded(() => this.release());
    this.#held.push(release);
  }

  /** Releases the memory of upstream responses. It is called once the data are whole. */
  release(): void {
    for (const releaseOne of this.#held.splice(0)) releaseOne();
  }
}

/** The place of a result in its response: all of a response or event, a part that others follow, or the last part. */
type ResultPart = 'whole' | 'followed' | 'last';

/** One rule for every GraphQL request, on every path. A rule acts at one or both of two moments. */
export interface GraphqlRule {
  /** Adds to what is known of a run before it begins, or refuses it. */
  readonly prepare?: (run: Run) => void;
  /** Changes a result to what its client gets: a whole result, a part, or an event. */
  readonly finish?: (result: ExecutionResult, run: Run, part: ResultPart) => ExecutionResult;
}

export interface RequestWriter extends StreamWriter {
  readonly request: Request;
}

/** A stream that has begun. */
export interface LiveStream {
  /** The id that stands for its beginning. */
  readonly eventId: () => string;
  /** Writes its events from now on. */
  begin(writer: RequestWriter): void;
}

/** What an operation leads to: a result, or the stream of a subscription. */
type Executed = ExecutionResult | LiveStream;

interface GraphqlExecutionOptions {
  readonly rules: readonly GraphqlRule[];
  readonly executor: Executor;
  /** Gives a run the context that it runs with. It ends with the run's lifetime. */
  readonly beginContext: (run: Run) => Context;
}

/** The endpoint of a stream in the log and the metrics. A stream lasts as long as its client stays, unlike other requests. */
const streamEndpoint = '/graphql (stream)';

/** Executes operations by the rules, on whichever path their requests come. */
export class GraphqlExecution {
  readonly #options: GraphqlExecutionOptions;

  constructor(options: GraphqlExecutionOptions) {
    this.#options = options;
  }

  /** Prepares a run, and creates its context unless it is refused. */
  begin(run: Run): void {
    const { rules, beginContext } = this.#options;
    for (const rule of rules) {
      if (run.refusal !== null) return;
      rule.prepare?.(run);
    }
    if (run.refusal === null) run.context = beginContext(run);
  }

  /** Executes a run that has begun: what it returns is not finished, but for the events of a stream. Of a refused one it is the errors. */
  async execute(run: Run): Promise<Executed> {
    if (!hasBegun(run)) return { errors: run.refusal?.errors ?? [] };
    const { executor } = this.#options;
    if (run.definition.operation !== OperationTypeNode.SUBSCRIPTION) return executor.execute(run);
    const source = await executor.begin(run);
    if (!(Symbol.asyncIterator in source)) {
      run.refusal = streamRefusal(source.errors ?? []);
      return source;
    }
    run.request.endpoint = streamEndpoint;
    return {
      eventId: source.eventId,
      begin: (writer) => source.join(keyOf(run), this.#eventExecution(run), writer),
    };
  }

  finish(result: ExecutionResult, run: Run, part: ResultPart = 'whole'): ExecutionResult {
    let finished = result;
    for (const rule of this.#options.rules) finished = rule.finish?.(finished, run, part) ?? finished;
    return finished;
  }

  #eventExecution(stream: Run): Execute<RequestWriter> {
    const { executor, beginContext } = this.#options;
    return (event, { request }, signal) => {
      // The one that asks may leave meanwhile, and the others stay.
      const lifetime = beginLifetime(signal);
      const run = stream.ofEvent(request, lifetime.of);
      const begun = Object.assign(run, { context: beginContext(run) });
      const complete = (result: ExecutionResult): EventResult => {
        const made = eventResultOf(this.finish(result, run), event instanceof Error ? 'failure' : 'event');
        lifetime.end();
        return made;
      };
      // A fault of the gateway must not end the process, and with it all other streams.
      const fail = (failure: unknown): EventResult => {
        lifetime.end();
        const result = { data: null, errors: [requestError(failure as Error)] };
        return eventResultOf(this.finish(result, run, 'last'), 'fault');
      };
      try {
        const result = executor.executeEvent(begun, event);
        return result instanceof Promise ? result.then(complete).catch(fail) : complete(result);
      } catch (failure) {
        return fail(failure);
      }
    };
  }
}

function hasBegun(run: Run): run is Run & { readonly context: Context } {
  return run.context !== null;
}

const operationNumbers = new WeakMap<OperationDefinitionNode, number>();
let operations = 0;

/**
 * Names everything that the result of an event depends on, but the event itself: equal operations of one caller are executed once
 * for all of their streams. Sources of different filters share nothing anyway.
 */
function keyOf({ document, definition, variables, request }: Run): string {
  const number = operationNumbers.getOrInsertComputed(definition, () => ++operations);
  const { req, wantsCost, wantsExplanation } = request;
  const beginning = beginningVariableOf(document, definition);
  const others = beginning === null ? variables : { ...variables, [beginning]: null };
  return JSON.stringify([number, others, req.headers.authorization, wantsCost, wantsExplanation]);
}

/** The variable that says where a feed begins and nothing else: its events do not depend on it. Null where there is none. */
function beginningVariableOf(document: DocumentNode, definition: Run['definition']): string | null {
  const [field] = definition.selectionSet.selections;
  const argument = field?.kind === Kind.FIELD ? field.arguments?.find(({ name }) => name.value === 'after') : undefined;
  if (argument?.value.kind !== Kind.VARIABLE) return null;
  const name = argument.value.name.value;
  let uses = 0;
  // Its declaration is the other one.
  visit(document, { Variable: (variable) => void (uses += Number(variable.name.value === name)) });
  return uses === 2 ? name : null;
}

// Stands where each stream has its own id, until the bytes are cut there. Nobody outside can know it.
const requestIdMark = randomUUID();

/** The bytes of a finished result: of an event, of the failure that ends the stream, or of a fault in executing either. */
function eventResultOf(result: ExecutionResult, of: 'event' | 'failure' | 'fault'): EventResult {
  const { errors = [] } = result;
  const shared = errors.map((error) => {
    const { extensions, ...rest } = error.toJSON();
    return { ...rest, extensions: { ...extensions, requestId: requestIdMark } };
  });
  const parts = partsOf(errors.length === 0 ? result : { ...result, errors: shared });
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const errorCodes = errors.map(({ extensions }) => String(extensions['code']));
  const failure = of === 'event' ? null : partsOf(shared);
  return { parts, bytes, errorCodes, isLast: of === 'fault', ...(failure !== null && { failure }) };
}

function partsOf(value: unknown): EventResult['parts'] {
  return withinOneLine(JSON.stringify(value))
    .split(requestIdMark)
    .map((part) => Buffer.from(part));
}
