import type { AppConfig } from '../config.ts';
import { createDeliveryFeeds, type DeliveryFeeds } from '../live/delivery-feeds.ts';
import { StreamRooms } from '../live/stream-room.ts';
import type { Span } from '../telemetry/span.ts';
import type { CountViolation } from '../telemetry/violation-counter.ts';
import { TimeSlices } from '../time-slices.ts';
import type { Fleet } from './fleet.ts';
import type { Upstream } from './upstream.ts';

/** Creates the live deliveries of all callers. */
export function createFeeds(
  config: AppConfig,
  { client, known }: Upstream,
  countViolation: CountViolation,
  fleet: Fleet | null,
): DeliveryFeeds {
  return createDeliveryFeeds(client, {
    pollMs: config.subscriptionPollMs,
    overlapMs: config.subscriptionOverlapMs,
    scanPages: config.upstreamScanPages,
    mostWaiting: config.subscriptionBuffer,
    rooms: new StreamRooms(config.subscriptionBufferBytes),
    slices: new TimeSlices(),
    mostFeeds: config.subscriptionMaxFeeds,
    mostStreams: config.subscriptionMaxStreams,
    // Streams share polls. A violation counts for the request that began the poll, whose operation may have ended.
    noteViolation: (violation, { requestId, span }) =>
      countViolation(violation, { requestId, operationName: null, trace: span ? idsOf(span) : null }),
    known,
    ...(fleet?.shareFeed !== undefined && { share: fleet.shareFeed }),
  });
}

function idsOf({ traceId, spanId }: Span) {
  return { traceId, spanId };
}
