export {
  followDeliveries,
  type DeliveryArrived,
  type DeliveryFailed,
  type FeedEnded,
  type FeedError,
  type FeedEvent,
  type FeedListener,
  type FeedOptions,
  type FeedStateChanged,
} from './follow.ts';
export { shareFeed } from './share.ts';
