import { serverSentEvents } from './event-stream.ts';
import { headersOf, isOfType, piecesOf, post, resultOf, type Access, type Operation, type Result } from './http.ts';

export type { Access } from './http.ts';

/** What Relay hands to a function of the network layer, as much of it as is needed here. */
interface Request {
  readonly text?: string | null | undefined;
  readonly id?: string | null | undefined;
}

/** A response in Relay's form. */
interface Payload {
  // oxlint-disable-next-line typescript/no-explicit-any -- Relay's GraphQLSingularResponse, without a dependency on Relay.
  readonly data: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly errors?: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly extensions?: any;
}

interface Sink {
  next(payload: Payload): void;
  error(error: Error): void;
  complete(): void;
}

/** Relay's own `Observable`, and what it makes. */
interface ObservableClass {
  // oxlint-disable-next-line typescript/no-explicit-any
  create(source: (sink: Sink) => () => void): any;
}

/** Relay takes `id` for what names an object everywhere; in this schema that is `nodeId`. For an Environment. */
export function getDataID(record: Readonly<Record<string, unknown>>): string | undefined {
  return record['nodeId'] as string | undefined;
}

/** A piece of an answer, in the form that the gateway sends. */
interface Piece extends Result {
  readonly incremental?: readonly Result[];
  readonly hasNext?: boolean;
}

/**
 * Makes the fetch function of a network layer, by Relay's own `Observable`: `@defer` shows the fast part first. An answer that breaks off
 * is an error.
 */
export function createFetch(Observable: ObservableClass, access: Access) {
  return (request: Request, variables: object) =>
    streamOf(Observable, async (sink, signal) => {
      const operation = operationOf(request, variables);
      const headers = await headersOf(access);
      const response = await post(access.url, headers, operation, 'multipart/mixed, application/json', signal);
      let isOver = false;
      for await (const { incremental, hasNext = false, ...whole } of piecesOf(response) as AsyncGenerator<Piece>) {
        const pieces = incremental ?? [whole];
        isOver = !hasNext;
        for (const piece of pieces) sink.next(payloadOf(piece, isOver && piece === pieces.at(-1)));
      }
      if (!isOver) throw new Error('The answer has broken off.');
    });
}

/**
 * Makes the subscribe function of a network layer, by Relay's own `Observable`, over server-sent events. A stream that breaks off is an
 * error: subscribe again, with the last `cursor` as `after`.
 */
export function createSubscribe(Observable: ObservableClass, access: Access) {
  return (request: Request, variables: object) =>
    streamOf(Observable, async (sink, signal) => {
      const operation = operationOf(request, variables);
      const response = await post(access.url, await headersOf(access), operation, 'text/event-stream', signal);
      if (!isOfType(response, 'text/event-stream')) {
        sink.next(payloadOf(await resultOf(response), true));
        return;
      }
      for await (const { event, data } of serverSentEvents(response)) {
        if (event === 'complete') return;
        if (data) sink.next(payloadOf(JSON.parse(data) as Result, true));
      }
      throw new Error('The stream has broken off.');
    });
}

/** For an Environment: a store that has brought a row answers `node(nodeId:)` and `nodes(nodeIds:)` by it. */
export const missingFieldHandlers = [
  {
    kind: 'linked' as const,
    handle: ({ name }: Field, _parent: unknown, { nodeId }: Arguments): string | undefined =>
      name === 'node' ? (nodeId as string) : undefined,
  },
  {
    kind: 'pluralLinked' as const,
    handle: ({ name }: Field, _parent: unknown, { nodeIds }: Arguments): string[] | undefined =>
      name === 'nodes' ? (nodeIds as string[]) : undefined,
  },
];

interface Field {
  readonly name: string;
}

interface Arguments {
  readonly nodeId?: unknown;
  readonly nodeIds?: unknown;
}

function streamOf(Observable: ObservableClass, run: (sink: Sink, signal: AbortSignal) => Promise<void>) {
  return Observable.create((sink) => {
    const left = new AbortController();
    run(sink, left.signal).then(
      () => sink.complete(),
      (error: Error) => left.signal.aborted || sink.error(error),
    );
    return () => left.abort();
  });
}

function operationOf({ text, id }: Request, variables: object): Operation {
  // A document that is persisted has an identifier in place of its text.
  return typeof text === 'string' ? { query: text, variables } : { documentId: id ?? '', variables };
}

function payloadOf(result: Result, isFinal: boolean): Payload {
  return { ...result, data: result.data, extensions: { ...result.extensions, is_final: isFinal } };
}
