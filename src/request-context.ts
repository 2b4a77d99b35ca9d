import type { Violation } from './errors.ts';
import type { CancelSignal } from './cancellation.ts';
import type { Context } from './graphql/context.ts';
import { KnownNodes } from './graphql/identity/known-nodes.ts';
import type { CreateOperationContext } from './http/operation-run.ts';
import { deadlineOf, type Deadline } from './http/request/deadline.ts';
import type { Exchange } from './http/request/exchange.ts';
import type { GraphqlRequest } from './http/request/graphql-request.ts';
import type { Lifetime } from './http/request/lifetime.ts';
import { createExplainedReaders, type Readers } from './lists/explained-readers.ts';
import { createLoaders } from './lists/loaders.ts';
import type { LookUpOptions } from './lists/look-up-options.ts';
import { createLookUps } from './lists/look-ups.ts';
import { deliveriesOf, noDeliveries, type EventId } from './live/delivery-event.ts';
import type { DeliveryFeeds } from './live/delivery-feeds.ts';
import type { CountViolation } from './telemetry/violation-counter.ts';
import { callerIdentityOf } from './upstream/caller-identity.ts';
import type { Caller, Client } from './upstream/client.ts';
import { credentialOf } from './upstream/credential.ts';
import { Explanation } from './upstream/explanation.ts';

/** What requests are given, and how long they may take. */
export interface RequestContextOptions {
  readonly client: Client;
  readonly feeds: DeliveryFeeds;
  readonly lookUps: LookUpOptions;
  /** The longest time for all calls of one operation, in milliseconds. */
  readonly operationTimeoutMs: number;
  readonly exposeSecrets: boolean;
  /** Aborts when the process cannot wait any longer. */
  readonly stopping: CancelSignal;
  readonly countViolation: CountViolation;
}

/** Whose calls a request makes, and what is known of the request by then. */
export function callerOf(
  authorization: string | undefined,
  { requestId, record }: Exchange,
  { signal, deadline }: Deadline,
  countViolation: CountViolation,
): Caller {
  const credential = credentialOf(authorization);
  const { key } = credential;
  return {
    key,
    isKeyTooLong: key === null && credential.isTooLong,
    identity: key === null ? '' : callerIdentityOf(key),
    requestId,
    signal,
    deadline,
    countCall: () => record.countCall(),
    noteViolation: (violation: Violation) =>
      countViolation(violation, { requestId, operationName: record.operationName }),
  };
}

/** Makes what one operation, or one event of a stream, runs with; nothing of it serves another. */
export function createRequestContexts(options: RequestContextOptions): CreateOperationContext {
  const { client, lookUps, operationTimeoutMs, exposeSecrets, stopping, countViolation } = options;
  return (request, { needsExactNumbers }, lifetime) => {
    const waitLimits = deadlineOf(lifetime, operationTimeoutMs, stopping);
    const held = createHeldData(lifetime);
    const caller: Caller = {
      ...callerOf(request.req.headers.authorization, request.exchange, waitLimits, countViolation),
      needsExactNumbers: () => needsExactNumbers,
      whenExecuted: held.hold,
    };
    const explanation = request.isExplained ? new Explanation() : null;
    const stream = createStream(options.feeds, request, caller, waitLimits);
    const context: Context = {
      ...readersOf(client, caller, lookUps, explanation),
      knownNodes: new KnownNodes(),
      followDeliveries: stream.follow,
      exposeSecrets,
      scanPages: lookUps.scanPages,
    };
    return {
      context,
      explainCalls: explanation && (() => explanation.tell(request.exchange.hideKey)),
      latestEventId: stream.latestEventId,
      release: held.release,
    };
  };
}

function readersOf(client: Client, caller: Caller, options: LookUpOptions, explanation: Explanation | null): Readers {
  if (explanation !== null) return createExplainedReaders(client, caller, options, explanation);
  const loaders = createLoaders(client, caller);
  return { loaders, lookUps: createLookUps(loaders, options) };
}

/** What was read is held until the data are whole, or until nobody waits for them any more. */
function createHeldData({ whenEnded }: Lifetime) {
  let held: (() => void)[] | null = null;
  const release = (): void => {
    for (const run of held?.splice(0) ?? []) run();
  };
  const hold = (run: () => void): void => {
    if (held === null) {
      held = [];
      whenEnded(release);
    }
    held.push(run);
  };
  return { hold, release };
}

/** The stream that an operation may begin, and the id of the event that it sent last. */
function createStream(feeds: DeliveryFeeds, request: GraphqlRequest, caller: Caller, waitLimits: Deadline) {
  let eventId: EventId | null = null;
  const note = (next: EventId): void => {
    eventId = next;
  };
  const follow: Context['followDeliveries'] = async (args) => {
    const since = request.lastEventId || null;
    if (!request.takesStream) {
      feeds.check(args, caller, since);
      return deliveriesOf(noDeliveries, note);
    }
    const stream = await feeds.follow(args, caller, since);
    // The deadline is for its beginning: a stream takes as long as its reader stays.
    waitLimits.lift();
    return deliveriesOf(stream, note);
  };
  return { follow, latestEventId: () => eventId?.() ?? null };
}
