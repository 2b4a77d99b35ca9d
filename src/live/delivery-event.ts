import type { WebhookDeliveryRecord } from '../upstream/endpoints/webhook-delivery.ts';

/** Tells the id of an event: what its reader has seen by then. */
export type EventId = () => string;

/** A delivery of a stream. */
export interface Arrival {
  readonly delivery: WebhookDeliveryRecord;
  readonly eventId: EventId;
}

/** What a stream of deliveries brings: a delivery, or as the last of all the reason why there are no more. */
export type DeliveryEvent = Arrival | Error;

/** Deliveries as they appear, for one reader, and the id of all that was there before the first of them. */
export interface DeliveryStream {
  readonly eventId: EventId;
  readonly events: AsyncIterator<DeliveryEvent, undefined>;
}

/** A stream that brings nothing and is over. */
export const noDeliveries: DeliveryStream = {
  eventId: () => '',
  events: { next: () => Promise.resolve({ done: true, value: undefined }) },
};

type Deliveries = AsyncIterableIterator<WebhookDeliveryRecord | Error, undefined>;

/** The deliveries of a stream; `note` is told the id of each before it is handed on, first of all that of the stream. */
export function deliveriesOf({ eventId, events }: DeliveryStream, note: (eventId: EventId) => void): Deliveries {
  note(eventId);
  // No generator: who leaves is heard at once, also while a delivery is awaited.
  const deliveries: Deliveries = {
    async next() {
      const { done, value } = await events.next();
      if (done === true) return { done, value: undefined };
      if (value instanceof Error) return { done: false, value };
      note(value.eventId);
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
