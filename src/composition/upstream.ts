import type { AppConfig } from '../config.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createClient, type Client } from '../upstream/client.ts';
import { createCredentialReader, type CredentialReader } from '../upstream/credential-reader.ts';
import { createReportCache } from '../upstream/report-cache.ts';
import { BodyRoom } from '../upstream/response/body-room.ts';
import { createKnownCallers, type KnownCallers } from '../upstream/stages/known-callers.ts';
import { createStages } from '../upstream/stages/stages.ts';
import type { Fleet } from './fleet.ts';
import { traceCalls } from '../upstream/traced-client.ts';
import { createTransport, type Transport } from '../upstream/transport.ts';

/** The parts that call the API for all requests. */
export interface Upstream {
  readonly client: Client;
  readonly transport: Transport;
  readonly known: KnownCallers;
  readonly credentials: CredentialReader;
}

/** Creates the client with its stages over one transport. `wireNames` are those that records are read by. */
export function createUpstream(
  config: AppConfig,
  metrics: Metrics,
  fleet: Fleet | null,
  isTraced: boolean,
  wireNames: ReadonlySet<string>,
): Upstream {
  const { upstreamMaxBodyBytes: maxBodyBytes, upstreamQueueTimeoutMs: queueTimeoutMs } = config;
  const transport = createTransport(config.upstreamBaseUrl, {
    timeoutMs: config.upstreamTimeoutMs,
    connectTimeoutMs: config.upstreamConnectTimeoutMs,
    stallTimeoutMs: config.upstreamStallTimeoutMs,
    maxBodyBytes,
    room: new BodyRoom({ mostBytes: config.upstreamMaxHeldBytes, maxBodyBytes, waitMs: queueTimeoutMs }),
  });
  const known = createKnownCallers();
  const stages = createStages(
    {
      known,
      sharedLimits: fleet?.limits,
      retries: { most: config.upstreamRetries, workers: config.workerCount },
      breaker: { openMs: config.upstreamBreakerOpenMs, shared: fleet?.breakers },
      concurrency: { most: config.upstreamMaxConcurrency, queueSize: config.upstreamQueueSize, queueTimeoutMs },
    },
    metrics,
    isTraced ? config.upstreamBaseUrl : null,
  );
  const reports = createReportCache({ keepMs: config.reportCacheMs, mostBytes: config.reportCacheBytes });
  metrics.watchReports(() => reports.size());
  const client = createClient(transport, stages, reports, metrics, fleet?.reports, wireNames);
  return {
    transport,
    client: isTraced ? traceCalls(client) : client,
    known,
    credentials: createCredentialReader(known),
  };
}
