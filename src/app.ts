import { CancelSource } from './cancellation.ts';
import type { Config } from './config.ts';
import { GatewayError, violationsOf } from './errors.ts';
import { createExecutor } from './graphql/execution/executor.ts';
import { createSubscriber } from './graphql/execution/subscriber.ts';
import { createSchema } from './graphql/schema/schema.ts';
import { printClientSchema, readTypeDefs } from './graphql/schema/type-defs.ts';
import { listen, type Listener } from './http/connection/listener.ts';
import { createGraphqlExecution } from './http/graphql-execution.ts';
import type { GraphqlRule } from './http/graphql-rule.ts';
import { graphqlRules } from './http/graphql-rules.ts';
import { createGraphqlServer } from './http/graphql-server.ts';
import { createPageServer } from './http/pages/page-server.ts';
import { readPersistedOperations } from './http/persisted-operations.ts';
import type { OpenReport } from './http/report-export.ts';
import { deadlineOf } from './http/request/deadline.ts';
import { createRouter } from './http/router.ts';
import { createCostEstimate } from './limits/cost.ts';
import { reportCost } from './limits/report-cost.ts';
import { createDeliveryFeeds } from './live/delivery-feeds.ts';
import { callerOf, createRequestContexts } from './request-context.ts';
import { createLog, describeFailure, type Log } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { createViolationCounter, type CountViolation } from './telemetry/violation-counter.ts';
import { createCall } from './upstream/call.ts';
import { createClient, type Client } from './upstream/client.ts';
import { getChargesBreakdownCsv } from './upstream/endpoints/charges-breakdown.ts';
import { hideCallerKey } from './upstream/redaction/caller-key.ts';
import { createReportCache } from './upstream/report-cache.ts';
import { BodyRoom } from './upstream/response/body-room.ts';
import { createKnownCallers, type KnownCallers } from './upstream/stages/known-callers.ts';
import { createStages } from './upstream/stages/stages.ts';
import { createTransport, type Transport } from './upstream/transport.ts';

/** A config whose upstream has been decided on: the composition does not know of the sandbox. */
export type AppConfig = Config & { readonly upstreamBaseUrl: string };

/** The gateway as it runs. What is given up by `close` is answered UPSTREAM_UNAVAILABLE. */
export interface App extends Pick<Listener, 'url' | 'retire' | 'close'> {
  /** Logs and counts a failure that nobody in the process has handled. */
  readonly reportUnhandled: (cause: unknown) => void;
}

/** What may be put in the place of the app's own parts. */
export interface AppOptions {
  readonly log?: Log;
  /** Changes the rules of GraphQL requests, for every path; the app's own by default. */
  readonly changeRules?: (rules: readonly GraphqlRule[]) => readonly GraphqlRule[];
}

/** Puts the whole gateway together and listens. Rejects where the address cannot be used. */
export async function startApp(config: AppConfig, options: AppOptions = {}): Promise<App> {
  const { log = createLog(config.logLevel), changeRules = (rules) => rules } = options;
  const metrics = createMetrics();
  const countViolation = createViolationCounter(metrics, log);
  const stopping = new CancelSource();
  const upstream = createUpstream(config, metrics);
  const feeds = createFeeds(config, upstream, countViolation);
  metrics.watchStreams(() => feeds.size());

  const typeDefs = readTypeDefs();
  const sdl = printClientSchema(typeDefs);
  const pages = createPageServer(sdl);
  const graphql = createGraphql(config, createSchema(typeDefs), {
    upstream,
    feeds,
    metrics,
    log,
    countViolation,
    stopping,
    changeRules,
  });
  const retiring = Promise.withResolvers<void>();
  let listener: Listener | null = null;
  const router = createRouter({
    graphql,
    sdl,
    pages,
    openReport: reportOpener(config, upstream, countViolation),
    hideKey: hideCallerKey,
    retiring: retiring.promise,
    isReady: () => listener?.isReady() ?? true,
    corsOrigins: config.corsOrigins,
    log,
    metrics,
  });
  const door = await listen(router, listenerOptions(config, metrics, stopping));
  listener = door;
  // Not before it listens, and not within a request; it is not ready until then.
  setImmediate(() => void pages.build());
  return {
    url: door.url,
    retire() {
      const retired = door.retire();
      retiring.resolve();
      return retired;
    },
    reportUnhandled(cause) {
      metrics.countUnhandled();
      log.error({ error: describeFailure(cause) }, 'internal error');
    },
    async close() {
      retiring.resolve();
      // Nothing else would end them.
      feeds.close(stopped('the stream ends with it. Subscribe again.'));
      await door.close();
      await upstream.transport.close();
    },
  };
}

/** What calls the API, for everybody. */
interface Upstream {
  readonly client: Client;
  readonly transport: Transport;
  readonly known: KnownCallers;
}

function createUpstream(config: AppConfig, metrics: Metrics): Upstream {
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
      retries: { most: config.upstreamRetries },
      breaker: { openMs: config.upstreamBreakerOpenMs },
      concurrency: { most: config.upstreamMaxConcurrency, queueSize: config.upstreamQueueSize, queueTimeoutMs },
    },
    metrics,
  );
  const reports = createReportCache({ keepMs: config.reportCacheMs, mostBytes: config.reportCacheBytes });
  return { transport, client: createClient(transport, stages, reports), known };
}

function createFeeds(config: AppConfig, { client, known }: Upstream, countViolation: CountViolation) {
  return createDeliveryFeeds(client, {
    pollMs: config.subscriptionPollMs,
    overlapMs: config.subscriptionOverlapMs,
    scanPages: config.upstreamScanPages,
    mostWaiting: config.subscriptionBuffer,
    mostFeeds: config.subscriptionMaxFeeds,
    mostStreams: config.subscriptionMaxStreams,
    // Polls are shared: a violation belongs to the stream that began them, and outlives its operation.
    noteViolation: (violation, requestId) => countViolation(violation, { requestId, operationName: null }),
    known,
  });
}

/** What a request for GraphQL is answered from. */
interface GraphqlParts {
  readonly upstream: Upstream;
  readonly feeds: ReturnType<typeof createFeeds>;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly countViolation: CountViolation;
  readonly stopping: CancelSource;
  readonly changeRules: NonNullable<AppOptions['changeRules']>;
}

function createGraphql(config: AppConfig, schema: ReturnType<typeof createSchema>, parts: GraphqlParts) {
  const { upstream, feeds, metrics, log, countViolation, stopping, changeRules } = parts;
  const { compileOperations: isCompiling, persistedOperations: path, persistedOperationsOnly: only } = config;
  const lookUps = { scanPages: config.upstreamScanPages, lookUp: config.upstreamLookUp };
  const documentLimits = {
    tokens: config.limitTokens,
    depth: config.limitDepth,
    aliases: config.limitAliases,
    rootFields: config.limitRootFields,
  };
  const estimateCost = createCostEstimate(schema, { ...lookUps, reportWeight: reportCost(config) });
  const rules = graphqlRules({ schema, documentLimits, estimateCost, mostCost: config.limitCost, log, countViolation });
  const { operationTimeoutMs, exposeSecrets } = config;
  const execution = createGraphqlExecution({
    rules: changeRules(rules),
    executor: createExecutor(schema, { isCompiling, count: (way) => metrics.countOperation(way) }),
    subscriber: createSubscriber(schema),
    createContext: createRequestContexts({
      client: upstream.client,
      feeds,
      lookUps,
      operationTimeoutMs,
      exposeSecrets,
      stopping,
      countViolation,
    }),
  });
  const operations = path === null ? null : readPersistedOperations(path, documentLimits, execution.checkDocument);
  return createGraphqlServer({
    schema,
    documentLimits,
    execution,
    persisted: { operations, only },
    isFast: isCompiling,
    isExplaining: config.explain === true,
    countRoute: (route) => metrics.countRoute(route),
  });
}

function reportOpener(config: AppConfig, { client }: Upstream, countViolation: CountViolation): OpenReport {
  return async (dates, authorization, exchange) => {
    const waitLimits = deadlineOf(exchange, config.operationTimeoutMs);
    const caller = callerOf(authorization, exchange, waitLimits, countViolation);
    try {
      const report = await client.stream(createCall(getChargesBreakdownCsv, { ...dates }), caller);
      // The deadline is for its beginning: a download takes as long as its reader does.
      waitLimits.lift();
      return report;
    } catch (error) {
      for (const violation of violationsOf(error)) caller.noteViolation?.(violation);
      throw error;
    }
  };
}

function listenerOptions(config: AppConfig, metrics: Metrics, stopping: CancelSource) {
  return {
    host: config.host,
    port: config.port,
    headersTimeoutMs: config.requestHeadersTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    stallTimeoutMs: config.responseStallTimeoutMs,
    countStalled: () => metrics.countStalledReader(),
    giveUp: () => stopping.abort(stopped('could not wait for the upstream any longer. Try again.')),
  };
}

function stopped(consequence: string): GatewayError {
  return new GatewayError('UPSTREAM_UNAVAILABLE', { message: `This process is stopping, and ${consequence}` });
}
