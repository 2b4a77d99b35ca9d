import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLFormattedError,
} from 'graphql';
import { writtenAtOnce } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import type { WrittenEvent } from '../../live/stream.ts';
import type { ReaderRoom } from '../connection/readers.ts';
import type { GraphqlExecution } from '../graphql-execution.ts';
import { OperationRun, type LiveStream, type Operation, type RequestWriter } from '../rules/operation-run.ts';
import { clientClosedRequest, OpenExchange, type ExchangeParts } from '../request/exchange.ts';
import {
  readGraphqlRequest,
  readParameters,
  type GraphqlRequest,
  type Parameters,
} from '../request/graphql-request.ts';
import { readAccept } from '../request/media-types.ts';
import { notExecuted, requestError } from '../response/error-response.ts';
import { ownParts } from '../response/event-stream.ts';
import { printResult, shownErrors } from '../response/printed-result.ts';
import { findTrusted, type TrustedDocumentOptions } from '../trusted-documents.ts';
import { badRequest, documentRefusals, type createYogaServer } from '../yoga.ts';
import type { GraphqlSocket } from './graphql-socket.ts';

/** Operations of one socket at once, streams included: a page has some ten. */
export const socketOperations = 100;

/** Finds the operation that parameters ask for, by the rules for documents; the result of one that is refused. */
export type ReadOperation = (given: unknown, request: GraphqlRequest) => Operation | ExecutionResult;

/** Creates the reader of operations. Documents are parsed and checked as Yoga has them parsed and checked over HTTP. */
export function createOperationReader(
  { getEnveloped }: Pick<ReturnType<typeof createYogaServer>, 'getEnveloped'>,
  { operations, only }: TrustedDocumentOptions,
): ReadOperation {
  function trustedDocument({ documentId, extensions }: Parameters): DocumentNode {
    if (documentId === null) throw documentRefusals.keyNotFound();
    if (operations === null) throw documentRefusals.notSupported(extensions);
    const document = findTrusted(operations, documentId);
    if (document === undefined) throw documentRefusals.notFound(extensions);
    return document;
  }

  return (given, request) => {
    try {
      const parameters = readParameters(given);
      if (typeof parameters === 'string') throw badRequest(parameters);
      const { query, operationName, variables } = parameters;
      if (query !== null && only) throw documentRefusals.persistedQueryOnly();
      const { parse, validate, schema } = getEnveloped({ ...request });
      const document = query === null ? trustedDocument(parameters) : (parse(query) as DocumentNode);
      const errors = validate(schema, document) as readonly GraphQLError[];
      if (errors.length > 0) return notExecuted({ errors });
      const definition = getOperationAST(document, operationName) ?? null;
      if (definition === null) throw documentRefusals.noOperation();
      return { document, definition, operationName, variables, request };
    } catch (error) {
      return notExecuted({ errors: [requestError(error as Error)] });
    }
  };
}

/** What all operations of all sockets share. */
export interface SocketOperationParts {
  readonly execution: GraphqlExecution;
  readonly readOperation: ReadOperation;
  readonly exchangeParts: ExchangeParts;
  readonly room: Pick<ReaderRoom, 'hold'>;
  /** Whether clients may ask, by `X-Explain: 1`, which upstream calls they cause. */
  readonly isExplaining: boolean;
}

/** The errors of an operation that was not executed. */
export class RefusedOperation extends Error {
  readonly errors: readonly GraphQLFormattedError[];

  constructor(errors: readonly GraphQLFormattedError[]) {
    super('The operation was refused.');
    this.errors = errors;
  }
}

/** The endpoints of operations in the log and the metrics. */
const endpoints = { operation: '/graphql (websocket)', stream: '/graphql (websocket stream)' };
const accepted = readAccept('application/graphql-response+json, text/event-stream; q=0.5');
const mediaType = 'application/graphql-response+json';
const ended = { done: true, value: undefined } as const;

/**
 * One operation of a socket: a request of its own, with its own id, record and deadline. graphql-ws reads it as an iterable that yields
 * nothing: results go past it as bytes, which are those of a response over HTTP, and which the streams of an event share.
 */
export class SocketOperation implements AsyncIterableIterator<never>, RequestWriter {
  readonly request: GraphqlRequest;
  readonly #socket: GraphqlSocket;
  readonly #parameters: unknown;
  readonly #parts: SocketOperationParts;
  readonly #exchange: OpenExchange;
  /** What comes before a result. */
  readonly #head: string;
  readonly #left = Promise.withResolvers<void>();
  /** Of all operations of the socket, this one included. */
  readonly #count: number;
  #status = clientClosedRequest;
  #isOver = false;

  constructor(socket: GraphqlSocket, id: string, parameters: unknown, parts: SocketOperationParts) {
    const { req, res } = socket;
    this.#socket = socket;
    this.#parameters = parameters;
    this.#parts = parts;
    this.#exchange = new OpenExchange(req, parts.exchangeParts);
    this.#exchange.record.endpoint = endpoints.operation;
    this.#head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    this.#count = socket.beginOperation();
    this.request = readGraphqlRequest(req, res, this.#exchange, accepted, parts.isExplaining);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Resolves when the client has got all, or has left. Rejects with a RefusedOperation. */
  async next(): Promise<typeof ended> {
    const refused = await Promise.race([this.#answer(), this.#left.promise]);
    this.#end(false);
    if (refused instanceof RefusedOperation) throw refused;
    return ended;
  }

  /** The client has left the operation, or the socket. */
  return(): Promise<typeof ended> {
    this.#end(true);
    this.#left.resolve();
    return Promise.resolve(ended);
  }

  write(events: readonly WrittenEvent[], taken: () => void): void {
    for (const [index, event] of events.entries()) {
      this.#exchange.record.noteErrors(event.result.errorCodes);
      const parts = ownParts(event.result.parts, event, this.#exchange);
      this.#socket.write([this.#head, ...parts, '}'], index === events.length - 1 ? taken : undefined);
    }
  }

  end(): void {
    this.#left.resolve();
  }

  #end(isAborted: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#exchange.end(this.#status, isAborted);
    this.#socket.endOperation();
  }

  /** Sends the response or the events, but the errors of an operation that was not executed. */
  async #answer(): Promise<RefusedOperation | null> {
    if (this.#count > socketOperations) return this.#refuse(tooManyOperations());
    await this.#socket.beginRun();
    const outcome = await this.#outcome();
    this.#socket.endRun();
    return outcome !== null && 'begin' in outcome ? this.#follow(outcome) : outcome;
  }

  async #outcome(): Promise<RefusedOperation | LiveStream | null> {
    if (this.#exchange.signal.aborted) return null;
    try {
      return await this.#run();
    } catch (error) {
      return this.#refuse(error as Error);
    }
  }

  async #run(): Promise<RefusedOperation | LiveStream | null> {
    const { execution, readOperation } = this.#parts;
    const operation = readOperation(this.#parameters, this.request);
    if (!('document' in operation)) return this.#respond(operation, new OperationRun(this.request));
    const run = execution.begin(operation);
    const isStream = operation.definition?.operation === OperationTypeNode.SUBSCRIPTION;
    const executed = await (isStream ? execution.subscribe(operation, run) : execution.execute(operation, run));
    return run.stream ?? this.#respond(executed as ExecutionResult, run);
  }

  async #follow(stream: LiveStream): Promise<null> {
    this.#status = 200;
    this.#exchange.record.endpoint = endpoints.stream;
    if (this.#exchange.signal.aborted) await stream[Symbol.asyncIterator]().return?.();
    else stream.begin(this);
    await this.#left.promise;
    return null;
  }

  #refuse(failure: Error): Promise<RefusedOperation | null> {
    return this.#respond({ errors: [requestError(failure)] }, new OperationRun(this.request));
  }

  async #respond(executed: ExecutionResult, run: OperationRun): Promise<RefusedOperation | null> {
    const result = this.#parts.execution.finish(executed, run);
    const isShort = !run.isLong && result.errors === undefined;
    const { status, pieces } = isShort
      ? { status: 200, pieces: [JSON.stringify(result)] }
      : await printResult(result, mediaType);
    if (this.#exchange.signal.aborted) return null;
    this.#status = status;
    if (result.data === undefined) return new RefusedOperation(shownErrors(result.errors ?? []));
    return new Promise((taken) => {
      const unread = this.#socket.write([this.#head, ...pieces, '}'], () => taken(null));
      const { connection, identity } = this.#socket;
      if (unread <= writtenAtOnce) return;
      this.#exchange.whenEnded(this.#parts.room.hold(connection, identity ?? '', unread));
    });
  }
}

function tooManyOperations(): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    message: `This socket has ${socketOperations} operations under way, the most that it may have. End one before you begin another.`,
  });
}
