import type { DocumentNode, ExecutionResult, GraphQLError, OperationDefinitionNode, ValidationRule } from 'graphql';
import type { Lifetime } from '../../cancellation.ts';
import type { Context } from '../../graphql/context.ts';
import type { Usage } from '../../graphql/usage.ts';
import type { Cost } from '../../limits/cost.ts';
import type { StreamWriter } from '../../live/stream.ts';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import { CountedViolations, ErrorReport } from '../response/error-response.ts';

/** Bytes of the API's from which an answer is written in slices; of an answer with free-form values, of fewer bytes too. */
const answeredBytes = 131_072;

/** An operation to be executed; its document is valid. */
export interface Operation {
  readonly document: DocumentNode;
  /** The one operation of the document that is asked for; null where there is none, or where several could be meant. */
  readonly definition: OperationDefinitionNode | null;
  readonly operationName: string | null | undefined;
  /** The variables as the client sent them. */
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  readonly request: GraphqlRequest;
  /** Whether its data may be written by the executor (`WrittenData`); absent means no. */
  readonly takesWritten?: boolean;
}

/** What the rules find out about an operation before it runs. */
export interface Preparation {
  /** The operation's name in the document, without the caller's key; null where it has none. */
  name: string | null;
  /** The variables, coerced to their declared types; null where they do not fit, or where there is no such operation. */
  coerced: Readonly<Record<string, unknown>> | null;
  /** False where the operation selects no value whose numbers must be read digit for digit. */
  needsExactNumbers: boolean;
  /** The most that the operation may cost; null where it cannot be estimated. */
  cost: Cost | null;
  /** What the operation uses of the schema; null where nobody has asked. */
  usage: Usage | null;
  /** The result of an operation that must not run; null where it may. */
  refusal: ExecutionResult | null;
}

/** The preparation of an operation that no rule has looked at. */
export function newPreparation(): Preparation {
  return { name: null, coerced: null, needsExactNumbers: true, cost: null, usage: null, refusal: null };
}

/** Returns the errors of a document. Yoga passes its rules of validation, the fast path none. */
export type CheckDocument = (
  document: DocumentNode,
  validationRules?: readonly ValidationRule[],
) => readonly GraphQLError[];

/** The place of a result in its response: all of a response or event, a part that others follow, or the last part. */
export type ResultPart = 'whole' | 'followed' | 'last';

/** One rule for every GraphQL request, on every path. A rule acts at one or several of three moments. */
export interface GraphqlRule {
  /** Returns the errors of a document before it is served for the first time. */
  readonly checkDocument?: CheckDocument;
  /** Adds to what is known of an operation before it runs. The first refusal becomes the result. */
  readonly prepare?: (operation: Operation, preparation: Preparation) => void;
  /** Changes a result to what its client gets: a whole result, a part, or an event. */
  readonly finish?: (result: ExecutionResult, run: OperationRun, part: ResultPart) => ExecutionResult;
}

/** A rate limit of the caller: calls in a window and those left in it, and its end in milliseconds since 1970. Null: not told. */
interface RateLimit {
  readonly limit: number | null;
  readonly remaining: number;
  readonly resetAt: number | null;
}

/** What one operation, or one event of its stream, runs with. Nothing of it is shared. */
export interface OperationContext {
  /** The context of the resolvers. */
  readonly context: Context;
  /** Returns the upstream calls that the operation has caused; null where the client has not asked for them. */
  readonly explainCalls: (() => readonly object[]) | null;
  /** Returns how many bytes of the API's have been read for it; absent: few. */
  readonly bytesRead?: () => number;
  /** Returns the tightest rate limit that its calls have been told; null, or absent, where none was. */
  readonly rateLimit?: () => RateLimit | null;
  /** Releases the memory of upstream responses. It is called once the data are whole. */
  readonly release: () => void;
}

/** Creates what an operation runs with. It ends with the lifetime. */
export type CreateOperationContext = (
  request: GraphqlRequest,
  preparation: Preparation,
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
  readonly preparation: Preparation;
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
    preparation: Preparation = newPreparation(),
    given: OperationContext | null = null,
    eventId: string | null = null,
  ) {
    this.request = request;
    this.preparation = preparation;
    this.given = given;
    this.eventId = eventId;
  }

  /** The report of errors that all results of this run share. */
  get errors(): ErrorReport {
    return (this.#errors ??= new ErrorReport());
  }

  /** The violations that this run has counted. */
  get countedViolations(): CountedViolations {
    return (this.#violations ??= new CountedViolations());
  }

  /** Whether its response may take long to be written. */
  get isLong(): boolean {
    const bytes = this.given?.bytesRead?.() ?? 0;
    return bytes >= answeredBytes || (bytes > 0 && this.preparation.needsExactNumbers);
  }
}
