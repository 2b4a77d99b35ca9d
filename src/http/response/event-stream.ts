import { keepAliveMs } from '../../bounds.ts';
import type { EventId, EventResult, WrittenEvent } from '../../live/stream.ts';
import type { LiveStream } from '../operation-run.ts';
import type { StreamType } from '../request/media-types.ts';
import type { Request } from '../request/request.ts';
import { setHeadersForCaller, streamCaching } from './cache-headers.ts';

/** How a transport writes the events of a stream. */
interface StreamForm {
  readonly contentType: string;
  /** What comes first. The id is that of what was there before the first event. */
  readonly begin: (eventId: EventId) => string;
  /** What stands around the parts of an event. */
  readonly around: (event: WrittenEvent) => readonly [string, EventResult['parts'], string];
  readonly keepAlive: string;
  /** What comes last. */
  readonly end: string;
}

const beginningOfEvent = 'event: next\ndata: ';
const endOfEvent = '\n\n';

/** GraphQL over SSE, distinct connections mode. The last event of a stream that has failed has no id, so that the one before holds. */
const serverSentEvents: StreamForm = {
  contentType: 'text/event-stream',
  begin: (eventId) => `${idOf(eventId)}\n`,
  around: ({ eventId, result }) => [
    `${result.isLast ? '' : idOf(eventId)}${beginningOfEvent}`,
    result.parts,
    endOfEvent,
  ],
  keepAlive: ':\n\n',
  end: 'event: complete\ndata:\n\n',
};

const delimiter = '\r\n--graphql';
const beginningOfPart = '\r\ncontent-type: application/json\r\n\r\n';
const emptyPart = `${beginningOfPart}{}${delimiter}`;
const beginningOfPayload = `${beginningOfPart}{"payload":`;
const beginningOfFailure = `${beginningOfPart}{"payload":null,"errors":`;
const endOfPayload = `}${delimiter}`;

/** Apollo's protocol for subscriptions over HTTP. A part ends with the delimiter of the next, since clients wait for that. */
const multipart: StreamForm = {
  // Apollo's client for iOS compares the name of the protocol to the letter, here and in `onlyParts`.
  contentType: 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
  begin: () => `${delimiter}${emptyPart}`,
  around: ({ result: { parts, failure } }) =>
    failure === undefined ? [beginningOfPayload, parts, endOfPayload] : [beginningOfFailure, failure, endOfPayload],
  keepAlive: emptyPart,
  end: '--\r\n',
};

/** A whole result for those who take only events, or only parts: it is the one of a stream, as Yoga writes it. */
interface OnlyPart {
  readonly contentType: string;
  readonly around: (pieces: readonly Buffer[]) => readonly (string | Buffer)[];
}

export const onlyParts: Readonly<Record<StreamType, OnlyPart>> = {
  'text/event-stream': {
    contentType: serverSentEvents.contentType,
    around: (pieces) => [`:\n\n${beginningOfEvent}`, ...pieces, `${endOfEvent}${serverSentEvents.end}`],
  },
  'multipart/mixed': {
    contentType: 'multipart/mixed; boundary="-"; deferSpec=20220824',
    around(pieces) {
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      const head = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${length}`;
      return [`\r\n---\r\n${head}\r\n\r\n`, ...pieces, '\r\n-----\r\n'];
    },
  },
};

/**
 * Responds with the events of a stream, in a form that the client takes. Server-sent events have an id each, from which their reader can
 * resume (HTML, "Server-sent events", `Last-Event-ID`), and an id without an event comes first. All readers share the bytes of an event.
 */
export function sendEvents(stream: LiveStream, request: Request): void {
  const { res, accepted } = request;
  const form = accepted.events === 'multipart/mixed' ? multipart : serverSentEvents;
  setHeadersForCaller(request);
  // Some proxies hold a response back until it is whole.
  res.writeHead(200, {
    'content-type': form.contentType,
    'cache-control': streamCaching,
    'x-accel-buffering': 'no',
  });
  res.write(form.begin(stream.eventId));
  const timer = setInterval(() => {
    // Signs of life behind unread data keep no connection open, and would queue up for ever.
    if (res.writableLength === 0) res.write(form.keepAlive);
  }, keepAliveMs);
  request.whenEnded(() => clearInterval(timer));

  function piecesOf(event: WrittenEvent): readonly (string | Buffer)[] {
    request.noteErrors(event.result.errorCodes);
    const [head, parts, tail] = form.around(event);
    return [head, ...ownParts(parts, request), tail];
  }

  stream.begin({
    request,
    write(events, taken) {
      // The stream is left when its request ends.
      if (res.socket === null || res.destroyed) return;
      const pieces = events.flatMap(piecesOf);
      // All of it in one chunk and one write.
      res.cork();
      for (const [index, piece] of pieces.entries()) res.write(piece, index < pieces.length - 1 ? undefined : taken);
      res.uncork();
    },
    end() {
      clearInterval(timer);
      if (!res.destroyed) res.end(form.end);
    },
  });
}

/** The parts of an event for one of its readers, with the id of that reader's request between them. */
export function ownParts(
  parts: EventResult['parts'],
  { requestId }: Pick<Request, 'requestId'>,
): readonly (string | Buffer)[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [requestId, part]));
}

function idOf(eventId: EventId): string {
  return `id: ${eventId()}\n`;
}
