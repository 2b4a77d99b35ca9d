import type { CancelSignal } from '../cancellation.ts';
import type { DeliveryArrivedRecord, FeedStateChangedRecord } from '../generated/records.ts';
import type { Arguments } from '../upstream/endpoint.ts';

/**
 * The deliveries that appear from now on, or since the stream that the request resumes; the arguments are the field's. With `states`
 * the feed's states are among them, and it begins after a cursor where one is given.
 */
export type FollowDeliveries = (args: Arguments, states?: { readonly after: string | null }) => Promise<DeliverySource>;

/** Makes the id of an event: it says what the event's reader has seen by then. */
export type EventId = () => string;

/** A delivery of a stream. Its cursor is the id, made on demand. */
export interface ArrivedEvent extends DeliveryArrivedRecord {
  readonly eventId: EventId;
}

/** The news that a list is read, or cannot be read. Its cursor is the id; null where nothing has been read yet. */
export interface StateEvent extends FeedStateChangedRecord {
  readonly eventId: EventId;
}

/** What one event is executed with: a delivery, the state of the feed, or the failure that ends the stream. */
export type StreamEvent = ArrivedEvent | StateEvent | Error;

/** The deliveries that one stream follows, from the moment on when it was made. It is iterable for graphql-js, which does not read it. */
export interface DeliverySource extends AsyncIterable<never> {
  /** The id of all that was there before the first delivery. */
  readonly eventId: EventId;
  /**
   * Begins to write the deliveries. Streams of a feed that give equal keys are executed by the first one's `execute`, once for all of
   * them. The key must name everything that their results depend on.
   */
  join<Writer extends StreamWriter>(key: string, execute: Execute<Writer>, writer: Writer): void;
}

/** The result of one event, as bytes that all streams of an execution share. */
export interface EventResult {
  /** The result as JSON, cut where each stream has its own id of the request. */
  readonly parts: readonly Buffer[];
  readonly bytes: number;
  readonly errorCodes: readonly string[];
  /** Whether no event comes behind it, since the execution itself has failed: it has no id. */
  readonly isLast: boolean;
  /** Where the event is the failure that ends the stream: the parts of its errors alone. */
  readonly failure?: EventResult['parts'];
}

/** A result on its way to one reader. */
export interface WrittenEvent {
  readonly eventId: EventId;
  readonly result: EventResult;
}

/** Writes the events of one stream in the form of its transport. */
export interface StreamWriter {
  /** Writes events one behind the other, and calls `taken` when the connection has taken them all. It is not called again before. */
  write(events: readonly WrittenEvent[], taken: () => void): void;
  /** Ends the stream behind what was written. */
  end(): void;
}

/**
 * Executes a subscription for one event. It rejects and throws nothing. `asking` is one of the streams; the signal aborts after the
 * last of them.
 */
export type Execute<Writer extends StreamWriter> = (
  event: StreamEvent,
  asking: Writer,
  signal: CancelSignal,
) => EventResult | Promise<EventResult>;
