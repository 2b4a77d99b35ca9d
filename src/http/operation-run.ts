import { answeredBytes } from '../bounds.ts';
import type { Context, Hint } from '../graphql/context.ts';
import type { Judgement } from './graphql-operation.ts';
import type { GraphqlRequest } from './request/graphql-request.ts';
import type { Lifetime } from './request/deadline.ts';
import { ErrorReport, CountedViolations } from './response/error-report.ts';

/** What one operation, or one event of its stream, runs with. Nothing of it is shared. */
export interface OperationContext {
  /** The context of the resolvers. */
  readonly context: Context;
  /** Returns the upstream calls that the operation has caused; null where the client has not asked for them. */
  readonly explainCalls: (() => readonly object[]) | null;
  /** Returns the id of the event that the stream sent last; null where there is no stream. */
  readonly latestEventId: () => string | null;
  /** What fields without an error have to say; complete once the data are. */
  readonly hints: readonly Hint[];
  /** Returns how many bytes of the API's have been read for it; absent: few. */
  readonly bytesRead?: () => number;
  /** Releases the memory of upstream responses. It is called once the data are whole. */
  readonly release: () => void;
}

/** Creates what an operation runs with. It ends with the lifetime. */
export type CreateOperationContext = (
  request: GraphqlRequest,
  judgement: Judgement,
  lifetime: Lifetime,
) => OperationContext;

/** One execution of an operation: a response in one piece or in several, or one event of a stream. */
export class OperationRun {
  readonly request: GraphqlRequest;
  readonly judgement: Judgement;
  /** Null where the request was refused. */
  readonly given: OperationContext | null;
  readonly #stream: OperationContext | null;
  #errors: ErrorReport | null = null;
  #violations: CountedViolations | null = null;

  /** For the run of an event, `stream` is what its stream runs with. */
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

  /** Creates the run of one event of the stream that this run has begun. */
  ofEvent(given: OperationContext): OperationRun {
    return new OperationRun(this.request, this.judgement, given, this.given);
  }

  /** The report of errors that all results of this run share. */
  get errors(): ErrorReport {
    this.#errors ??= new ErrorReport();
    return this.#errors;
  }

  /** The violations that this run has counted. */
  get countedViolations(): CountedViolations {
    this.#violations ??= new CountedViolations();
    return this.#violations;
  }

  /** Whether its response may take long to be written. */
  get isLong(): boolean {
    const bytes = this.given?.bytesRead?.() ?? 0;
    return bytes >= answeredBytes || (bytes > 0 && this.judgement.needsExactNumbers);
  }

  /** Returns the id of the event that was sent last; null where there is no stream. */
  latestEventId(): string | null {
    return this.#stream?.latestEventId() ?? null;
  }
}
