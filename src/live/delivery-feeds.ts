import { callerPart } from '../bounds.ts';
import type { CancelSignal } from '../cancellation.ts';
import type { Config } from '../config.ts';
import { badArgument, GatewayError, type Violation } from '../errors.ts';
import { comparableId } from '../json.ts';
import { createLoaders, type Loaders } from '../lists/loaders.ts';
import { connectionIdIn } from '../resources/delivery-owner.ts';
import { listWebhookDeliveries } from '../resources/webhook-delivery.ts';
import { createCall, type Caller } from '../upstream/call.ts';
import type { Client } from '../upstream/client.ts';
import { withoutCredential } from '../upstream/credential.ts';
import type { Arguments } from '../upstream/endpoint.ts';
import { unknownShare, type KnownCallers } from '../upstream/stages/known-callers.ts';
import { DeliveryFeed, type FeedOptions, type FeedSource } from './delivery-feed.ts';
import { alone, type ShareFeed } from './feed-share.ts';
import { decodeEventId } from './event-ids.ts';
import type { DeliverySource } from './stream.ts';

interface FeedsOptions extends FeedOptions, Pick<Config, 'subscriptionMaxFeeds' | 'subscriptionMaxStreams'> {
  /** Runs for each violation of the contract that polling finds, with the request that began the polling. */
  readonly noteViolation?: (
    violation: Violation,
    request: { readonly requestId: string; readonly span: Caller['span'] },
  ) => void;
  /** All callers that the API has not accepted yet may have a quarter of both together. */
  readonly known: KnownCallers;
  /** Shares feeds with the other processes; absent: there are none. */
  readonly share?: ShareFeed | undefined;
}

/** Where a stream begins. */
export interface Beginning {
  /** The id of the last event that its reader has seen; null where it begins anew. */
  readonly eventId: string | null;
  /** How the client has sent that id. */
  readonly from: 'Last-Event-ID' | 'after';
  /** Whether the reader is told the states of the feed. */
  readonly hasStates: boolean;
}

/** All lists of deliveries that are being followed. */
export interface DeliveryFeeds {
  /**
   * Follows deliveries on behalf of a caller until the caller's signal aborts; since an event, where its id is given. Throws the
   * failure of the first reading, and BAD_USER_INPUT for an id that is not one of this list and filter. Readers of states are told of a
   * first reading that may succeed later.
   */
  follow(args: Arguments, caller: Caller, beginning: Beginning): Promise<DeliverySource>;
  /** Throws what `follow` would throw before it calls the upstream, and begins nothing. */
  check(args: Arguments, caller: Caller, beginning: Beginning): void;
  /** How many streams are open, and how many lists are polled for them. */
  size(): { readonly streams: number; readonly lists: number };
  /** Ends all streams, with the failure as their last event; no stream begins afterwards. */
  close(failure: GatewayError): void;
}

/** One feed for each caller and filter: callers never share a feed, and streams of equal filters of one caller do. */
export function createDeliveryFeeds(client: Client, options: FeedsOptions): DeliveryFeeds {
  const { subscriptionMaxFeeds: mostFeeds, subscriptionMaxStreams: mostStreams } = options;
  const { known, share = () => alone } = options;
  const feeds = new Map<string, DeliveryFeed>();
  let closed: GatewayError | null = null;

  function admit(key: string, identity: string): void {
    const all = [...feeds.values()];
    const own = all.filter((feed) => feed.identity === identity);
    if (sizeOf(own) >= shareOf(mostStreams)) throw tooManyOwn(`${shareOf(mostStreams)} streams`);
    if (sizeOf(all) >= mostStreams) throw tooMany();
    const ofUnknown = known.has(identity) ? [] : all.filter((feed) => !known.has(feed.identity));
    if (sizeOf(ofUnknown) >= unknownShare(mostStreams)) throw tooMany();
    if (feeds.has(key)) return;
    if (ofUnknown.length >= unknownShare(mostFeeds)) throw tooMany();
    if (own.length >= shareOf(mostFeeds)) throw tooManyOwn(`streams with ${shareOf(mostFeeds)} different filters`);
    if (feeds.size >= mostFeeds) throw tooMany();
  }

  function open({ key, list, credential }: ReturnType<typeof check>, args: Arguments, caller: Caller): DeliveryFeed {
    const { identity } = caller;
    const source: FeedSource = {
      list,
      args,
      connectionId: connectionIdIn(args),
      identity,
      connect: connectionOf(client, caller, options),
      share: (take) => share({ key: credential, identity, list }, options.subscriptionPollMs, take),
    };
    const feed = new DeliveryFeed(source, options, () => feeds.delete(key));
    feeds.set(key, feed);
    return feed;
  }

  function check(args: Arguments, caller: Caller, { eventId, from }: Beginning) {
    if (closed !== null) throw closed;
    if (caller.key === null) throw withoutCredential();
    const connectionId = connectionIdIn(args);
    const { queryString } = createCall(listWebhookDeliveries, args);
    const list = connectionId === null ? queryString : `${queryString}&connection=${comparableId(connectionId)}`;
    const seen = eventId === null ? null : decodeEventId(list, eventId);
    if (eventId !== null && seen === null) throw unknownEvent(from);
    const key = `${caller.identity} ${list}`;
    admit(key, caller.identity);
    return { key, list, credential: caller.key, seen };
  }

  return {
    check,
    async follow(args, caller, beginning) {
      const checked = check(args, caller, beginning);
      const feed = feeds.get(checked.key) ?? open(checked, args, caller);
      return feed.follow(caller.signal, checked.seen, beginning.hasStates);
    },
    size: () => ({ streams: sizeOf([...feeds.values()]), lists: feeds.size }),
    close(failure) {
      closed = failure;
      for (const feed of feeds.values()) feed.end(failure);
    },
  };
}

/** Loaders for the calls of a feed. Of the first follower it keeps only what calls need; they have that request's id. */
function connectionOf(
  client: Client,
  { key, identity, request: { requestId }, span }: Caller,
  { noteViolation }: FeedsOptions,
): (signal: CancelSignal) => Loaders {
  const caller: Omit<Caller, 'signal'> = {
    key,
    identity,
    request: { requestId, upstreamCalls: 0 },
    deadline: Infinity,
    span: span?.detached,
    noteViolation: (violation) => noteViolation?.(violation, { requestId, span }),
  };
  return (signal) => createLoaders(client, { ...caller, signal });
}

function sizeOf(feeds: readonly DeliveryFeed[]): number {
  return feeds.reduce((sum, { size }) => sum + size, 0);
}

function shareOf(most: number): number {
  return Math.ceil(most / callerPart);
}

function unknownEvent(from: Beginning['from']): GatewayError {
  if (from === 'after')
    return badArgument(
      ['after'],
      'after must be the cursor of an event of a feed with the same filter. Leave it out to begin anew.',
    );
  return new GatewayError('BAD_USER_INPUT', {
    message:
      'Last-Event-ID must be the id of an event of this same subscription, with the same filter. Leave it out to begin anew.',
  });
}

function tooManyOwn(limit: string): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    message: `This API key has ${limit} open already, the most that it may have here. End one before you begin another.`,
  });
}

function tooMany(): GatewayError {
  return new GatewayError('UPSTREAM_UNAVAILABLE', {
    message: 'Too many streams are open here. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}
