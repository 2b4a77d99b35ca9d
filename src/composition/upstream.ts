import type { AppConfig } from '../config.ts';
import type { Metrics, CountViolation } from '../telemetry/metrics.ts';
import { createClient, type Client } from '../upstream/client.ts';
import { createCredentialReader, type ReadCredential } from '../upstream/credential.ts';
import { BodyRoom } from '../upstream/response/body-room.ts';
import { createKnownCallers, type KnownCallers } from '../upstream/stages/known-callers.ts';
import { createStages } from '../upstream/stages/stages.ts';
import { traceCalls } from '../upstream/traced-client.ts';
import type { TlsFiles } from '../upstream/transport/connections.ts';
import { createTransport, type Transport } from '../upstream/transport/transport.ts';
import { reportCauses } from '../upstream/transport/unreachable.ts';
import { createCallerSecrets } from '../fleet/caller-secrets.ts';
import { createFeedSharing } from '../fleet/shared-feed.ts';
import { createSharedLimits } from '../fleet/shared-notices.ts';
import { createSharedReports } from '../fleet/shared-reports.ts';
import type { SharedStore, WorkerStore } from '../fleet/shared-store.ts';
import { createStoreObserver } from '../fleet/store-observer.ts';
import type { ShareFeed } from '../live/feed-share.ts';
import type { Log } from '../telemetry/log.ts';
import type { SharedReports } from '../upstream/answers.ts';
import { RateLimits, type SharedLimits } from '../upstream/stages/rate-limit.ts';
import { createDeliveryFeeds, type DeliveryFeeds } from '../live/delivery-feeds.ts';
import { StreamRooms } from '../live/stream-room.ts';
import type { Span } from '../telemetry/tracing.ts';
import { TimeSlices } from '../time-slices.ts';
import { violationsOf } from '../errors.ts';
import { createDeadlines } from '../cancellation.ts';
import type { OpenReport } from '../http/report-export.ts';
import { callerOf } from '../request-context.ts';
import { createCall } from '../upstream/call.ts';
import { getChargesBreakdownCsv } from '../resources/charges/charges-breakdown.ts';

/** The parts that call the API for all requests. */
export interface Upstream {
  readonly client: Client;
  readonly transport: Transport;
  readonly known: KnownCallers;
  readonly readCredential: ReadCredential;
  /** Forgets all reports and answers that are kept, and the limits that callers have met. */
  readonly forgetKept: () => void;
}

/** Creates the client with its stages over one transport. `wireNames` are those that records are read by. */
export function createUpstream(
  config: AppConfig,
  metrics: Metrics,
  fleet: Fleet | null,
  isTraced: boolean,
  wireNames: ReadonlySet<string>,
  log: Log,
  isSandbox = false,
): Upstream {
  const { upstreamMaxBodyBytes: maxBodyBytes, upstreamQueueTimeoutMs: queueTimeoutMs } = config;
  const transport = createTransport(config.upstreamBaseUrl, {
    timeoutMs: config.upstreamTimeoutMs,
    connectTimeoutMs: config.upstreamConnectTimeoutMs,
    stallTimeoutMs: config.upstreamStallTimeoutMs,
    proxies: isSandbox ? null : config.proxies,
    tls: tlsFilesOf(config),
    tlsFault: (fault) => log.warn({ fault: fault.message }, 'changed TLS files are not used'),
    maxBodyBytes,
    room: new BodyRoom({ mostBytes: config.upstreamMaxHeldBytes, maxBodyBytes, waitMs: queueTimeoutMs }),
  });
  const known = createKnownCallers();
  const rateLimits = new RateLimits({ known, metrics, ...(fleet && { shared: fleet.limits }) });
  const stages = createStages(
    {
      known,
      rateLimits,
      reportUnreachable: reportCauses({
        count: metrics.countUnreachable,
        log: (fields) => log.warn(fields, 'the API cannot be reached'),
      }),
      retries: { most: config.upstreamRetries, workers: config.workerCount },
      breaker: { openMs: config.upstreamBreakerOpenMs },
      concurrency: { most: config.upstreamMaxConcurrency, queueSize: config.upstreamQueueSize, queueTimeoutMs },
    },
    metrics,
    isTraced ? config.upstreamBaseUrl : null,
    isSandbox,
  );
  const client = createClient(transport, stages, {
    reports: { keepMs: config.reportCacheMs, mostBytes: config.reportCacheBytes },
    finalMs: config.historyCacheMs,
    shared: fleet?.reports,
    names: wireNames,
    metrics,
  });
  metrics.watchReports(() => client.answers.size);
  return {
    transport,
    client: isTraced ? traceCalls(client) : client,
    known,
    readCredential: createCredentialReader(known, isSandbox),
    forgetKept() {
      client.answers.clear();
      rateLimits.clear();
    },
  };
}

/** The files of TLS to the API; null where none is set. */
function tlsFilesOf({ upstreamTlsCa: ca, upstreamTlsCert: cert, upstreamTlsKey: key }: AppConfig): TlsFiles | null {
  return ca === null && cert === null && key === null ? null : { ca, cert, key };
}

/** What this process shares with the others. */
export interface Fleet {
  readonly limits: SharedLimits;
  /** Undefined where reports are not kept. */
  readonly reports: SharedReports | undefined;
  /** Undefined where each process polls for itself. */
  readonly shareFeed: ShareFeed | undefined;
  close(): Promise<void>;
}

/** Opens the shared state that is configured, else that of the workers; null where there is none. Does not wait for the store. */
export async function openFleet(
  config: AppConfig,
  workerStore: WorkerStore | null,
  metrics: Metrics,
  log: Log,
): Promise<Fleet | null> {
  const { sharedStateUrl, upstreamBaseUrl } = config;
  if (sharedStateUrl === null) return workerStore && createFleet(workerStore, config, () => {});
  // The client is loaded only where it is used.
  const { openRedisStore, storeName } = await import('../fleet/redis/store.ts');
  const observer = createStoreObserver(storeName, metrics, log);
  const store = openRedisStore(sharedStateUrl, upstreamBaseUrl, observer);
  return createFleet(store, config, () => observer.count('reports', 'unusable'));
}

/** Shares over a store: of callers it gets names and sealed bytes, which other keys and other APIs do not open. */
function createFleet(store: SharedStore | WorkerStore, config: AppConfig, countUnusable: () => void): Fleet {
  const { upstreamBaseUrl, reportCacheMs, reportCacheBytes } = config;
  const secretsOf = createCallerSecrets(upstreamBaseUrl);
  const isKeeping = reportCacheMs > 0 && reportCacheBytes > 0;
  return {
    limits: createSharedLimits(store.notices, secretsOf),
    reports: isKeeping ? createSharedReports(store, secretsOf, reportCacheMs, countUnusable) : undefined,
    shareFeed: store.feeds === null ? undefined : createFeedSharing(store.feeds, secretsOf),
    close: () => store.close(),
  };
}

/** Creates the live deliveries of all callers. */
export function createFeeds(
  config: AppConfig,
  { client, known }: Upstream,
  countViolation: CountViolation,
  fleet: Fleet | null,
  now: () => number,
): DeliveryFeeds {
  return createDeliveryFeeds(client, {
    pollMs: config.subscriptionPollMs,
    overlapMs: config.subscriptionOverlapMs,
    scanPages: config.upstreamScanPages,
    now,
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

/** Creates the function that opens the CSV report for a download. */
export function createReportOpener(
  config: AppConfig,
  { client, readCredential }: Upstream,
  countViolation: CountViolation,
): OpenReport {
  const beginDeadline = createDeadlines(config.operationTimeoutMs);
  return async (dates, headers, exchange) => {
    const waitLimits = beginDeadline(exchange);
    const caller = callerOf(
      readCredential(headers.authorization, headers['x-sandbox']),
      exchange,
      waitLimits,
      countViolation,
    );
    try {
      const report = await client.stream(createCall(getChargesBreakdownCsv, { ...dates }), caller);
      // The deadline is for the beginning alone. A download takes as long as its reader does.
      waitLimits.lift();
      return report;
    } catch (error) {
      for (const violation of violationsOf(error)) caller.noteViolation?.(violation);
      throw error;
    }
  };
}
