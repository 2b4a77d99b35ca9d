import type { DocumentNode, ExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql';
import type { Lifetime } from '../cancellation.ts';
import type { Context } from '../graphql/context.ts';
import type { Usage } from '../graphql/usage.ts';
import type { Cost } from '../limits/cost.ts';
import type { StreamWriter } from '../live/stream.ts';
import type { Request } from './request/request.ts';
import { CountedViolations, ErrorReport } from './response/error-response.ts';
import type { Refusal } from './response/refusal.ts';

/** Bytes of the API's from which an answer is written in slices; of an answer with free-form values, of fewer bytes too. */
const answeredBytes = 131_072;

/** What is asked for: the document, which is valid unless it is refused, and the rest as the client sent it. */
export interface Asked {
  readonly document: DocumentNode;
  /** The one operation of the document that is asked for; null if it is not known. */
  readonly definition: OperationDefinitionNode | null;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>> | null;
  /** Whether the hash of a persisted document came beside a query. */
  readonly hasHash: boolean;
}

const nothing: Asked = {
  document: { kind: 'Document' as DocumentNode['kind'], definitions: [] },
  definition: null,
  operationName: null,
  variables: null,
  hasHash: false,
};

/** A rate limit of the caller: calls in a window and those left in it, and its end in milliseconds since 1970. Null: not told. */
interface RateLimit {
  readonly limit: number | null;
  readonly remaining: number;
  readonly resetAt: number | null;
}

/**
 * One execution of an operation, from its document to its result: a response in one piece or in several, or one event of a stream.
 * Nothing of it is shared.
 */
export class Run {
  readonly request: Request;
  readonly asked: Asked;
  /** The run ends with it: with the request, or with the event. */
  readonly lifetime: Lifetime;
  /** What stands for the id of the event in results that streams share; null for a response. */
  readonly eventId: string | null;
  /** Why it does not run; null if it does. The first refusal counts. */
  refusal: Refusal | null;

  // What the rules find out before it runs.
  /** The operation's name in the document, without the caller's key; null if it has none. */
  name: string | null = null;
  /** The variables, coerced to their declared types; null until then. */
  coerced: Readonly<Record<string, unknown>> | null = null;
  /** Whether it selects a value whose numbers must be read digit for digit. */
  needsExactNumbers = true;
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
  /** The stream that it has begun; null if there is none. */
  stream: LiveStream | null = null;
  #held: (() => void)[] | null = null;
  #errors: ErrorReport | null = null;
  #violations: CountedViolations | null = null;

  constructor(
    request: Request,
    asked: Asked = nothing,
    refusal: Refusal | null = null,
    lifetime: Lifetime = request,
    eventId: string | null = null,
  ) {
    this.request = request;
    this.asked = asked;
    this.refusal = refusal;
    this.lifetime = lifetime;
    this.eventId = eventId;
  }

  /** The run for one event of the stream that this one has begun. `request` is that of a reader who is there. */
  ofEvent(request: Request, lifetime: Lifetime, eventId: string): Run {
    const run = new Run(request, this.asked, null, lifetime, eventId);
    run.name = this.name;
    run.coerced = this.coerced;
    run.needsExactNumbers = this.needsExactNumbers;
    run.cost = this.cost;
    run.usage = this.usage;
    return run;
  }

  /** The report of errors that all its results share. */
  get errors(): ErrorReport {
    return (this.#errors ??= new ErrorReport());
  }

  /** The violations that it has counted. */
  get countedViolations(): CountedViolations {
    return (this.#violations ??= new CountedViolations());
  }

  /** Whether its response may take long to be written. */
  get isLong(): boolean {
    return this.bytesRead >= answeredBytes || (this.bytesRead > 0 && this.needsExactNumbers);
  }

  /** Holds the memory of an upstream response until the data are whole, or until nobody waits for them. */
  readonly hold = (release: () => void): void => {
    if (this.#held === null) {
      this.#held = [];
      this.lifetime.whenEnded(() => this.release());
    }
    this.#held.push(release);
  };

  /** Releases the memory of upstream responses. It is called once the data are whole. */
  release(): void {
    for (const releaseOne of this.#held?.splice(0) ?? []) releaseOne();
  }
}

/** The place of a result in its response: all of a response or event, a part that others follow, or the last part. */
export type ResultPart = 'whole' | 'followed' | 'last';

/** Returns the errors of a document. */
export type CheckDocument = (document: DocumentNode) => readonly GraphQLError[];

/** One rule for every GraphQL request, on every path. A rule acts at one or several of three moments. */
export interface GraphqlRule {
  /** Returns the errors of a document before it is served for the first time. */
  readonly checkDocument?: CheckDocument;
  /** Adds to what is known of a run before it begins, or refuses it. */
  readonly prepare?: (run: Run) => void;
  /** Changes a result to what its client gets: a whole result, a part, or an event. */
  readonly finish?: (result: ExecutionResult, run: Run, part: ResultPart) => ExecutionResult;
}

/** The writer of a stream that a request has asked for. */
export interface RequestWriter extends StreamWriter {
  readonly request: Request;
}

/** A stream that has begun. */
export interface LiveStream {
  /** The id that stands for its beginning. */
  readonly eventId: () => string;
  /** Writes its events from now on. */
  begin(writer: RequestWriter): void;
  /** Leaves it before it was begun. */
  leave(): void;
}
