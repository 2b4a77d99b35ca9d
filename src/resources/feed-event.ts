import type { SubscriptionResolvers } from '../generated/schema.ts';
import { recordOf, siteOf } from '../graphql/schema/checked-value.ts';
import { someCalls } from '../limits/field-cost.ts';
import type { Resource } from './resource.ts';
import type { WebhookDeliveryRecord } from './webhook-delivery.ts';

/** A delivery of a stream. */
export interface DeliveryArrivedParent {
  readonly delivery: WebhookDeliveryRecord;
  /** Makes the text that says what the stream's reader has seen by then. */
  readonly eventId: () => string;
}

/** The news that a list is read, or cannot be read. */
export interface FeedStateChangedParent {
  readonly state: 'LIVE' | 'PAUSED';
  /** In ISO 8601. */
  readonly since: string;
  /** The code of the error that stands in the way; null while live. */
  readonly reason: string | null;
  /** Whether deliveries may have come that the reader is not sent. */
  readonly missed: boolean;
  /** As a delivery's; it makes an empty text where nothing has been read yet. */
  readonly eventId: () => string;
}

const deliverySite = siteOf('DeliveryArrived.delivery', 'an item of data');

/** The deliveries that appear, with their cursors, and the state of the stream. An error that ends it is its last event. */
const deliveryFeed: NonNullable<SubscriptionResolvers['deliveryFeed']> = {
  subscribe: (_root, { after = null, filter }, { followDeliveries }) => followDeliveries({ filter }, { after }),
  resolve(event: DeliveryArrivedParent | FeedStateChangedParent | Error) {
    if (event instanceof Error) throw event;
    return event;
  },
};

export const resource = {
  fields: {
    Subscription: { deliveryFeed },
    DeliveryFeedEvent: {
      __resolveType: (event: object) => ('delivery' in event ? 'DeliveryArrived' : 'FeedStateChanged'),
    },
    DeliveryArrived: {
      cursor: ({ eventId }: DeliveryArrivedParent) => eventId(),
      delivery: ({ delivery }: DeliveryArrivedParent) => recordOf(delivery, deliverySite),
    },
    FeedStateChanged: {
      state: ({ state }: FeedStateChangedParent) => state,
      cursor: ({ eventId }: FeedStateChangedParent) => eventId() || null,
    },
  },
  costs: { 'Subscription.deliveryFeed': someCalls(1) },
} satisfies Resource;
