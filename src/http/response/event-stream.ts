import type { FetchAPI } from 'graphql-yoga';
import { keepAliveMs } from '../../bounds.ts';
import type { EventId, EventResult, WrittenEvent } from '../../live/stream.ts';
import type { LiveStream, RequestWriter } from '../run.ts';
import type { Request } from '../request/request.ts';

/** How a transport writes the events of a stream. */
interface StreamForm {
  readonly contentType: string;
  /** What comes first. The id is that of what was there before the first event. */
  readonly begin: (eventId: EventId) => string;
  /** What stands around the parts of an event. */
  readonly around: (event: WrittenEvent) => readonly [Buffer, EventResult['parts'], Buffer];
  readonly keepAlive: string;
  /** What comes last. */
  readonly end: string;
}

const beginningOfEvent = Buffer.from('event: next\ndata: ');
const endOfEvent = Buffer.from('\n\n');

/** GraphQL over SSE, distinct connections mode. The last event of a stream that has failed has no id, so that the one before holds. */
const serverSentEvents: StreamForm = {
  contentType: 'text/event-stream',
  begin: (eventId) => `${idOf(eventId)}\n`,
  around: ({ eventId, result }) => [result.isLast ? beginningOfEvent : headOf(eventId), result.parts, endOfEvent],
  keepAlive: ':\n\n',
  end: 'event: complete\ndata:\n\n',
};

const delimiter = '\r\n--graphql';
const beginningOfPart = '\r\ncontent-type: application/json\r\n\r\n';
const emptyPart = `${beginningOfPart}{}${delimiter}`;
const beginningOfPayload = Buffer.from(`${beginningOfPart}{"payload":`);
const beginningOfFailure = Buffer.from(`${beginningOfPart}{"payload":null,"errors":`);
const endOfPayload = Buffer.from(`}${delimiter}`);

/** Apollo's protocol for subscriptions over HTTP. A part ends with the delimiter of the next, since clients wait for that. */
const multipart: StreamForm = {
  contentType: 'multipart/mixed;boundary="graphql";subscriptionSpec="1.0"',
  begin: () => `${delimiter}${emptyPart}`,
  around: ({ result: { parts, failure } }) =>
    failure === undefined ? [beginningOfPayload, parts, endOfPayload] : [beginningOfFailure, failure, endOfPayload],
  keepAlive: emptyPart,
  end: '--\r\n',
};

/**
 * Responds with the events of a stream, in the form that the client prefers. Server-sent events have an id each, from which their reader
 * can resume (HTML, "Server-sent events", `Last-Event-ID`), and an id without an event comes first. Yoga writes the head and the end of
 * the response. What is in between goes to the connection past it, so that all readers share the bytes of an event.
 */
export function eventStreamOf(
  stream: LiveStream,
  request: Request,
  { Response, ReadableStream }: Pick<FetchAPI, 'Response' | 'ReadableStream'>,
): Response {
  const form = request.accepted.events === 'multipart/mixed' ? multipart : serverSentEvents;
  const body = new ReadableStream<Uint8Array>(
    {
      // Called when the head has been written.
      pull: (controller) =>
        new Promise<void>((resolve) => {
          const writer = new EventStreamWriter(request, form, () => {
            controller.close();
            resolve();
          });
          writer.begin(stream);
        }),
    },
    { highWaterMark: 0 },
  );
  // Some proxies hold a response back until it is whole.
  return new Response(body, { headers: { 'content-type': form.contentType, 'x-accel-buffering': 'no' } });
}

class EventStreamWriter implements RequestWriter {
  readonly request: Request;
  readonly #form: StreamForm;
  readonly #whenEnded: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: Request, form: StreamForm, whenEnded: () => void) {
    this.request = request;
    this.#form = form;
    this.#whenEnded = whenEnded;
  }

  begin(stream: LiveStream): void {
    const { request } = this;
    const { res } = request;
    res.write(this.#form.begin(stream.eventId));
    this.#timer = setInterval(() => {
      // Signs of life behind unread data keep no connection open, and would queue up for ever.
      if (res.writableLength === 0) res.write(this.#form.keepAlive);
    }, keepAliveMs);
    request.whenEnded(() => clearInterval(this.#timer));
    stream.begin(this);
  }

  write(events: readonly WrittenEvent[], taken: () => void): void {
    const { res } = this.request;
    // The stream is left when its request ends.
    if (res.socket === null || res.destroyed) return;
    const pieces = events.flatMap((event) => this.#piecesOf(event));
    // All of it in one chunk and one write.
    res.cork();
    for (const [index, piece] of pieces.entries()) res.write(piece, index < pieces.length - 1 ? undefined : taken);
    res.uncork();
  }

  end(): void {
    clearInterval(this.#timer);
    const { res } = this.request;
    if (!res.destroyed) res.write(this.#form.end);
    this.#whenEnded();
  }

  #piecesOf(event: WrittenEvent): readonly (string | Buffer)[] {
    this.request.noteErrors(event.result.errorCodes);
    const [head, parts, tail] = this.#form.around(event);
    return [head, ...ownParts(parts, event, this.request), tail];
  }
}

/** The parts of an event for one of its readers, with what is that reader's own. */
export function ownParts(
  parts: EventResult['parts'],
  { eventId }: WrittenEvent,
  { requestId }: Pick<Request, 'requestId'>,
): readonly (string | Buffer)[] {
  return parts.map((part) => {
    if (part === 'requestId') return requestId;
    return part === 'eventId' ? eventId() : part;
  });
}

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
