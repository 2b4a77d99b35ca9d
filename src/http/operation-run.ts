import type { Context } from '../graphql/context.ts';
import type { Judgement } from './graphql-operation.ts';
import type { GraphqlRequest } from './request/graphql-request.ts';
import type { Lifetime } from './request/lifetime.ts';
import { ErrorReport } from './response/error-report.ts';
import { CountedValues } from './response/counted-values.ts';

/** What an operation runs with, made for it alone, or for one event of its stream. */
export interface OperationContext {
  /** What its resolvers are handed. */
  readonly context: Context;
  /** The upstream calls that it has caused; null where its client has not asked for them. */
  readonly explainCalls: (() => readonly object[]) | null;
  /** The id of the event that its stream sent last; null for what is no stream. */
  readonly latestEventId: () => string | null;
  /** Gives back what was read for its data, which are whole. */
  readonly release: () => void;
}

/** Makes what an operation runs with; it ends with the lifetime. */
export type CreateOperationContext = (
  request: GraphqlRequest,
  judgement: Judgement,
  lifetime: Lifetime,
) => OperationContext;

/** One execution of an operation: a response in one piece or in several, or one event of a stream. */
export class OperationRun {
  readonly request: GraphqlRequest;
  readonly judgement: Judgement;
  /** Null where nothing runs: the request was refused. */
  readonly given: OperationContext | null;
  readonly #stream: OperationContext | null;
  #errors: ErrorReport | null = null;
  #values: CountedValues | null = null;

  /** `stream` is what the stream began with, for the run of one of its events. */
  constructor(
    request: GraphqlRequest,
    judgement: Judgement,
    given: OperationContext | null,
    stream: OperationContext | null = given,
  ) {
    this.request = request;
    this.judgement = judgement;
    this.given = given;
    this.#stream = stream;
  }

  /** The run of one event of the stream that this run has begun. */
  ofEvent(given: OperationContext): OperationRun {
    return new OperationRun(this.request, this.judgement, given, this.given);
  }

  /** The errors that its results have reported so far. */
  get errors(): ErrorReport {
    this.#errors ??= new ErrorReport();
    return this.#errors;
  }

  /** The values that were counted as violations so far. */
  get countedValues(): CountedValues {
    this.#values ??= new CountedValues();
    return this.#values;
  }

  /** The id of the event that was sent last; null for what is no stream. */
  latestEventId(): string | null {
    return this.#stream?.latestEventId() ?? null;
  }
}
