import type { Config } from './config.ts';
import { CancelSource } from './cancellation.ts';
import { GatewayError, violationsOf } from './errors.ts';
import { createExecutor } from './graphql/execution/executor.ts';
import { createSubscriber } from './graphql/execution/subscriber.ts';
import { createSchema } from './graphql/schema/schema.ts';
import { printClientSchema, readTypeDefs } from './graphql/schema/type-defs.ts';
import { deadlineOf, type Deadline } from './http/request/deadline.ts';
import { whenExecuted, type Exchange } from './http/request/exchange.ts';
import { createGraphqlServer } from './http/graphql-server.ts';
import { listen, type Listener } from './http/connection/listener.ts';
import { createGraphqlExecution } from './http/graphql-execution.ts';
import { createPageServer } from './http/pages/page-server.ts';
import { readPersistedOperations } from './http/persisted-operations.ts';
import { createRouter } from './http/router.ts';
import { createCostEstimate } from './limits/cost.ts';
import { reportCost } from './limits/report-cost.ts';
import { createExplainedReaders, type Readers } from './lists/explained-readers.ts';
import { deliveriesOf, noDeliveries, type EventId } from './live/delivery-event.ts';
import { createDeliveryFeeds } from './live/delivery-feeds.ts';
import { createLookUps } from './lists/look-ups.ts';
import { createLoaders } from './lists/loaders.ts';
import { createLog, describeFailure, type Log } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { createViolationCounter, type CountViolation } from './telemetry/violation-counter.ts';
import { BodyRoom } from './upstream/response/body-room.ts';
import { createCall } from './upstream/call.ts';
import { createClient, type Caller } from './upstream/client.ts';
import { credentialOf, keysIn } from './upstream/credential.ts';
import { Explanation } from './upstream/explanation.ts';
import { callerIdentityOf } from './upstream/caller-identity.ts';
import { createKnownCallers } from './upstream/stages/known-callers.ts';
import { cut, withoutKey } from './upstream/redaction/redaction.ts';
import { createReportCache } from './upstream/report-cache.ts';
import { getChargesBreakdownCsv } from './upstream/endpoints/charges-breakdown.ts';
import { createStages } from './upstream/stages/stages.ts';
import { createTransport } from './upstream/transport.ts';

/** A config whose upstream has been decided on: the composition does not know of the sandbox. */
export type AppConfig = Config & { readonly upstreamBaseUrl: string };

/** The gateway as it runs. What is given up by `close` is answered UPSTREAM_UNAVAILABLE. */
export interface App extends Pick<Listener, 'url' | 'retire' | 'close'> {
  /** Logs and counts a failure that nobody in the process has handled. */
  readonly reportUnhandled: (cause: unknown) => void;
}

function callerOf(
  authorization: string | undefined,
  exchange: Exchange,
  { signal, deadline }: Deadline,
  countViolation: CountViolation,
): Caller {
  const credential = credentialOf(authorization);
  const { key } = credential;
  return {
    key,
    isKeyTooLong: key === null && credential.isTooLong,
    identity: key === null ? '' : callerIdentityOf(key),
    requestId: exchange.requestId,
    signal,
    deadline,
    countCall: () => exchange.upstreamCalls++,
    noteViolation: (violation) => countViolation(violation, exchange),
    needsExactNumbers: () => exchange.needsExactNumbers,
    whenExecuted: (run) => whenExecuted(exchange, run),
  };
}

/** The way upstream, and what closes it. */
function createUpstream(config: AppConfig, metrics: Metrics) {
  const transport = createTransport(config.upstreamBaseUrl, {
    timeoutMs: config.upstreamTimeoutMs,
    connectTimeoutMs: config.upstreamConnectTimeoutMs,
    stallTimeoutMs: config.upstreamStallTimeoutMs,
    maxBodyBytes: config.upstreamMaxBodyBytes,
    room: new BodyRoom({
      mostBytes: config.upstreamMaxHeldBytes,
      maxBodyBytes: config.upstreamMaxBodyBytes,
      waitMs: config.upstreamQueueTimeoutMs,
    }),
  });
  const known = createKnownCallers();
  const stages = createStages(
    {
      known,
      retries: { most: config.upstreamRetries },
      breaker: { openMs: config.upstreamBreakerOpenMs },
      concurrency: {
        most: config.upstreamMaxConcurrency,
        queueSize: config.upstreamQueueSize,
        queueTimeoutMs: config.upstreamQueueTimeoutMs,
      },
    },
    metrics,
  );
  const reports = createReportCache({ keepMs: config.reportCacheMs, mostBytes: config.reportCacheBytes });
  return { transport, client: createClient(transport, stages, reports), known };
}

function stopped(): GatewayError {
  return new GatewayError('UPSTREAM_UNAVAILABLE', {
    message: 'This process is stopping, and could not wait for the upstream any longer. Try again.',
  });
}

function endedByStop(): GatewayError {
  return new GatewayError('UPSTREAM_UNAVAILABLE', {
    message: 'This process is stopping, and the stream ends with it. Subscribe again.',
  });
}

/** Puts the whole gateway together and listens. Rejects where the address cannot be used. */
export async function startApp(config: AppConfig, log: Log = createLog(config.logLevel)): Promise<App> {
  const metrics = createMetrics();
  const countViolation = createViolationCounter(metrics, log);
  const { transport, client, known } = createUpstream(config, metrics);
  const typeDefs = readTypeDefs();
  const schema = createSchema(typeDefs);
  const { exposeSecrets, upstreamScanPages: scanPages, upstreamLookUp: lookUp } = config;
  const feeds = createDeliveryFeeds(client, {
    pollMs: config.subscriptionPollMs,
    overlapMs: config.subscriptionOverlapMs,
    scanPages,
    mostWaiting: config.subscriptionBuffer,
    mostFeeds: config.subscriptionMaxFeeds,
    mostStreams: config.subscriptionMaxStreams,
    // Polls are shared: they are noted for the stream that began them, and outlive its operation.
    noteViolation: (violation, requestId) => countViolation(violation, { requestId, operationName: null }),
    known,
  });
  metrics.watchStreams(() => feeds.size());
  let listener: Listener | undefined;
  const stopping = new CancelSource();

  function readersOf(exchange: Exchange, caller: Caller): Readers {
    if (!exchange.isExplained) {
      const loaders = createLoaders(client, caller);
      return { loaders, lookUps: createLookUps(loaders, { scanPages, lookUp }) };
    }
    const explanation = new Explanation();
    exchange.tellCalls = () => explanation.tell(exchange.hideKey);
    return createExplainedReaders(client, caller, { scanPages, lookUp }, explanation);
  }

  const documentLimits = {
    tokens: config.limitTokens,
    depth: config.limitDepth,
    aliases: config.limitAliases,
    rootFields: config.limitRootFields,
  };
  const { persistedOperations: path, persistedOperationsOnly: only } = config;
  const trusted = path === null ? null : readPersistedOperations(path, schema, documentLimits);
  const { compileOperations: isCompiling } = config;
  const graphql = createGraphqlServer({
    schema,
    createContext: (authorization, exchange, span = exchange) => {
      const waitLimits = deadlineOf(span, config.operationTimeoutMs, stopping);
      const caller = callerOf(authorization, exchange, waitLimits, countViolation);
      return {
        ...readersOf(exchange, caller),
        followDeliveries: async (args) => {
          const since = exchange.lastEventId || null;
          const note = (eventId: EventId): unknown => (exchange.eventId = eventId);
          if (!exchange.takesStream) {
            feeds.check(args, caller, since);
            return deliveriesOf(noDeliveries, note);
          }
          const stream = await feeds.follow(args, caller, since);
          // The deadline is for its beginning: a stream takes as long as its reader stays.
          waitLimits.lift();
          return deliveriesOf(stream, note);
        },
        exposeSecrets,
        scanPages,
      };
    },
    documentLimits,
    execution: createGraphqlExecution({
      schema,
      executor: createExecutor(schema, { isCompiling, count: (way) => metrics.countOperation(way) }),
      subscriber: createSubscriber(schema),
      estimateCost: createCostEstimate(schema, { scanPages, lookUp, reportWeight: reportCost(config) }),
      mostCost: config.limitCost,
      log,
      countViolation,
    }),
    persisted: { operations: trusted, only },
    isDirect: isCompiling,
    isExplaining: config.explain === true,
    countRoute: (route) => metrics.countRoute(route),
  });
  const sdl = printClientSchema(typeDefs);
  const pages = createPageServer(sdl);
  const retiring = Promise.withResolvers<void>();
  const router = createRouter({
    graphql,
    sdl,
    pages,
    openReport: async (dates, authorization, exchange) => {
      const call = createCall(getChargesBreakdownCsv, { ...dates });
      const waitLimits = deadlineOf(exchange, config.operationTimeoutMs);
      const report = await client
        .stream(call, callerOf(authorization, exchange, waitLimits, countViolation))
        .catch((error: unknown) => {
          for (const violation of violationsOf(error)) countViolation(violation, exchange);
          throw error;
        });
      // The deadline is for its beginning: a download takes as long as its reader does.
      waitLimits.lift();
      return report;
    },
    hideKey: (text, authorization, limit = Infinity) =>
      cut(
        keysIn(authorization).reduce((left, key) => withoutKey(left, key, limit), text),
        limit,
      ),
    retiring: retiring.promise,
    isReady: () => listener?.isReady() ?? true,
    corsOrigins: config.corsOrigins,
    log,
    metrics,
  });

  listener = await listen(router, {
    host: config.host,
    port: config.port,
    headersTimeoutMs: config.requestHeadersTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    stallTimeoutMs: config.responseStallTimeoutMs,
    countStalled: () => metrics.countStalledReader(),
    giveUp: () => stopping.abort(stopped()),
  });
  // Not before it listens, and not within a request; it is not ready until then.
  setImmediate(() => void pages.build());
  const door = listener;
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
      feeds.close(endedByStop());
      await door.close();
      await transport.close();
    },
  };
}
