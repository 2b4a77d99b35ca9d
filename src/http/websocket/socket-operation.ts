import { OperationTypeNode, type ExecutionResult, type GraphQLFormattedError } from 'graphql';
import { writtenAtOnce } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import type { WrittenEvent } from '../../live/stream.ts';
import type { ReaderRoom } from '../connection/readers.ts';
import type { ReadOperation } from '../documents.ts';
import type { GraphqlExecution } from '../graphql-execution.ts';
import { Run, type LiveStream, type RequestWriter } from '../run.ts';
import { clientClosedRequest, Request, type RequestParts } from '../request/request.ts';
import { operationRefusal } from '../response/refusal.ts';
import { ownParts } from '../response/event-stream.ts';
import { printResult } from '../response/printed-result.ts';
import type { GraphqlSocket } from './graphql-socket.ts';

/** Operations of one socket at once, streams included: a page has some ten. */
export const socketOperations = 100;

/** What all operations of all sockets share. */
export interface SocketOperationParts extends RequestParts {
  readonly execution: GraphqlExecution;
  readonly readOperation: ReadOperation;
  readonly room: Pick<ReaderRoom, 'hold'>;
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
const mediaType = 'application/graphql-response+json';
const ended = { done: true, value: undefined } as const;

/**
 * One operation of a socket: a request of its own, with its own id, record and deadline. graphql-ws reads it as an iterable that yields
 * nothing: results go past it as bytes, which are those of a response over HTTP, and which the streams of an event share.
 */
export class SocketOperation implements AsyncIterableIterator<never>, RequestWriter {
  readonly request: Request;
  readonly #socket: GraphqlSocket;
  readonly #parameters: unknown;
  readonly #parts: SocketOperationParts;
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
    this.request = new Request(req, res, parts);
    this.request.endpoint = endpoints.operation;
    this.#head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    this.#count = socket.beginOperation();
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
      this.request.noteErrors(event.result.errorCodes);
      const parts = ownParts(event.result.parts, event, this.request);
      this.#socket.write([this.#head, ...parts, '}'], index === events.length - 1 ? taken : undefined);
    }
  }

  end(): void {
    this.#left.resolve();
  }

  #end(isAborted: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.request.end(this.#status, isAborted);
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
    if (this.request.signal.aborted) return null;
    const { execution, readOperation } = this.#parts;
    try {
      const run = readOperation(this.#parameters, this.request);
      execution.begin(run);
      const isStream = run.asked.definition?.operation === OperationTypeNode.SUBSCRIPTION;
      const executed = await (isStream ? execution.subscribe(run) : execution.execute(run));
      return run.stream ?? (await this.#respond(executed as ExecutionResult, run));
    } catch (error) {
      return this.#refuse(error as Error);
    }
  }

  async #follow(stream: LiveStream): Promise<null> {
    this.#status = 200;
    this.request.endpoint = endpoints.stream;
    if (this.request.signal.aborted) stream.leave();
    else stream.begin(this);
    await this.#left.promise;
    return null;
  }

  #refuse(failure: Error): Promise<RefusedOperation | null> {
    const refusal = operationRefusal(failure);
    return this.#respond({ errors: refusal.errors }, new Run(this.request, undefined, refusal));
  }

  async #respond(executed: ExecutionResult, run: Run): Promise<RefusedOperation | null> {
    const result = this.#parts.execution.finish(executed, run);
    const isShort = !run.isLong && result.errors === undefined;
    const pieces = isShort ? [JSON.stringify(result)] : await printResult(result);
    if (this.request.signal.aborted) return null;
    this.#status = run.refusal?.statusIn(mediaType) ?? 200;
    if (result.data === undefined) return new RefusedOperation((result.errors ?? []).map((error) => error.toJSON()));
    return new Promise((taken) => {
      const unread = this.#socket.write([this.#head, ...pieces, '}'], () => taken(null));
      const { connection, identity } = this.#socket;
      if (unread <= writtenAtOnce) return;
      this.request.whenEnded(this.#parts.room.hold(connection, identity ?? '', unread));
    });
  }
}

function tooManyOperations(): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    message: `This socket has ${socketOperations} operations under way, the most that it may have. End one before you begin another.`,
  });
}
