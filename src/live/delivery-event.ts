import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';

/** Makes the id of an event: it says what the event's reader has seen by then. */
export type EventId = () => string;

/** A delivery of a stream. */
export interface Arrival {
  readonly delivery: WebhookDeliveryRecord;
  readonly eventId: EventId;
}

/** An event of a stream: a delivery, or as the last event the failure that ends the stream. */
export type DeliveryEvent = Arrival | Error;

/** Deliveries as they appear, for one reader; `eventId` is the id of all that was there before the first of them. */
export interface DeliveryStream {
  readonly eventId: EventId;
  readonly events: AsyncIterator<DeliveryEvent, undefined>;
}

/** A stream without events that has ended. */
export const noDeliveries: DeliveryStream = {
  eventId: () => '',
  events: { next: () => Promise.resolve({ done: true, value: undefined }) },
};

type Deliveries = AsyncIterableIterator<WebhookDeliveryRecord | Error, undefined>;

/** The deliveries of a stream. `setEventId` gets the id of the stream, and then that of each delivery before it is handed on. */
export function deliveriesOf({ eventId, events }: DeliveryStream, setEventId: (eventId: EventId) => void): Deliveries {
  setEventId(eventId);
  // Not a generator, whose `return` would wait for the delivery that is awaited.
  const deliveries: Deliveries = {
    async next() {
      const { done, value } = await events.next();
      if (done === true) return { done, value: undefined };
      if (value instanceof Error) return { done: false, value };
      setEventId(value.eventId);
      return { done: false, value: value.delivery };
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => deliveries,
  };
  return deliveries;
}
