import type { ExecutionResult } from 'graphql';
import { answeredBytes } from '../bounds.ts';
import type { Context, Hint } from '../graphql/context.ts';
import type { StreamWriter } from '../live/shared-stream.ts';
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

/** The writer of a stream that a request has asked for. */
export interface RequestWriter extends StreamWriter {
  readonly request: GraphqlRequest;
}

/** A stream that has begun. It is iterable for Yoga, which does not read it. */
export interface LiveStream extends AsyncIterable<ExecutionResult> {
  /** The id that stands for its beginning. */
  readonly eventId: () => string;
  /** Writes its events from now on. */
  begin(writer: RequestWriter): void;
}

/** One execution of an operation: a response in one piece or in several, or one event of a stream. */
export class OperationRun {
  readonly request: GraphqlRequest;
  readonly judgement: Judgement;
  /** Null where the request was refused. */
  readonly given: OperationContext | null;
  /** The id of the event, or what stands for it in results that streams share; null where there is none. */
  readonly eventId: string | null;
  /** The stream that the operation has begun; null where there is none. */
  stream: LiveStream | null = null;
  #errors: ErrorReport | null = null;
  #violations: CountedViolations | null = null;

  constructor(
    request: GraphqlRequest,
    judgement: Judgement,
    given: OperationContext | null,
    eventId: string | null = null,
  ) {
    this.request = request;
    this.judgement = judgement;
    this.given = given;
    this.eventId = eventId;
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
}
