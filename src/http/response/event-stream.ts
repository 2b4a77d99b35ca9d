import type { FetchAPI } from 'graphql-yoga';
import { writtenAtOnce } from '../../bounds.ts';
import type { EventId } from '../../live/event-ids.ts';
import type { WrittenEvent } from '../../live/shared-stream.ts';
import type { LiveStream, RequestWriter } from '../operation.ts';
import type { TimeSlices } from '../../time-slices.ts';
import type { GraphqlRequest } from '../request/graphql-request.ts';

const headers = {
  'content-type': 'text/event-stream',
  // Some proxies hold a response back until it is whole.
  'x-accel-buffering': 'no',
};
// Proxies and clients close a connection on which nothing comes for about a minute.
const keepAliveMs = 12_000;

/**
 * Responds with the events of a stream (GraphQL over SSE, distinct connections mode). Each event has an id, from which its reader can
 * resume (HTML, "Server-sent events", `Last-Event-ID`). An id without an event comes first. Yoga writes the head and the end of the
 * response. What is in between goes to the connection past it, so that all readers share the bytes of an event.
 */
export function eventStreamOf(
  stream: LiveStream,
  request: GraphqlRequest,
  { Response, ReadableStream }: Pick<FetchAPI, 'Response' | 'ReadableStream'>,
): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      // Called when the head has been written.
      pull: (controller) =>
        new Promise<void>((resolve) => {
          const writer = new EventStreamWriter(request, () => {
            controller.close();
            resolve();
          });
          writer.begin(stream);
        }),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers });
}

class EventStreamWriter implements RequestWriter {
  readonly request: GraphqlRequest;
  readonly #whenEnded: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: GraphqlRequest, whenEnded: () => void) {
    this.request = request;
    this.#whenEnded = whenEnded;
  }

  begin(stream: LiveStream): void {
    const { res, exchange } = this.request;
    res.write(`${idOf(stream.eventId)}\n`);
    this.#timer = setInterval(() => {
      // Comments behind unread data keep no connection open, and would queue up for ever.
      if (res.writableLength === 0) res.write(':\n\n');
    }, keepAliveMs);
    exchange.whenEnded(() => clearInterval(this.#timer));
    stream.begin(this);
  }

  write(events: readonly WrittenEvent[], slices: TimeSlices, taken: () => void): void {
    const pieces = events.flatMap((event) => this.#piecesOf(event));
    const goOn = (): void => slices.add(writeSome);
    const writeSome = (): void => {
      const { res } = this.request;
      // The stream is left when its exchange ends.
      if (res.socket === null || res.destroyed) return;
      const some = takeSome(pieces);
      // All of it in one chunk and one write.
      res.cork();
      for (const [index, piece] of some.entries())
        res.write(piece, index < some.length - 1 ? undefined : pieces.length === 0 ? taken : goOn);
      res.uncork();
    };
    writeSome();
  }

  end(): void {
    clearInterval(this.#timer);
    const { res } = this.request;
    if (!res.destroyed) res.write('event: complete\ndata:\n\n');
    this.#whenEnded();
  }

  destroy(): void {
    this.request.res.destroy();
  }

  #piecesOf({ eventId, result }: WrittenEvent): readonly (string | Buffer)[] {
    const { exchange } = this.request;
    exchange.record.noteErrors(result.errorCodes);
    const parts = result.parts.map((part) => {
      if (part === 'requestId') return exchange.requestId;
      return part === 'eventId' ? eventId() : part;
    });
    // The last event of a stream that has failed has no id, so that the one before holds.
    return [result.isLast ? beginningOfEvent : headOf(eventId), ...parts, endOfEvent];
  }
}

/** Takes out the first pieces, as much as is written at once. */
function takeSome(pieces: (string | Buffer)[]): readonly (string | Buffer)[] {
  let bytes = 0;
  let count = 0;
  for (; count < pieces.length && bytes < writtenAtOnce; count++) bytes += pieces[count]?.length ?? 0;
  const some = pieces.splice(0, count);
  const last = some.at(-1);
  if (bytes <= writtenAtOnce || last === undefined || typeof last === 'string') return some;
  const end = last.length - (bytes - writtenAtOnce);
  pieces.unshift(last.subarray(end));
  return [...some.slice(0, -1), last.subarray(0, end)];
}

const beginningOfEvent = Buffer.from('event: next\ndata: ');
const endOfEvent = Buffer.from('\n\n');
const heads = new WeakMap<EventId, Buffer>();

/** The lines before a result. All readers of an event share them. */
function headOf(eventId: EventId): Buffer {
  const known = heads.get(eventId);
  if (known !== undefined) return known;
  const head = Buffer.concat([Buffer.from(idOf(eventId)), beginningOfEvent]);
  heads.set(eventId, head);
  return head;
}

function idOf(eventId: EventId): string {
  return `id: ${eventId()}\n`;
}
