import { CancelSource } from './cancellation.ts';
import { createFeeds } from './composition/feeds.ts';
import { createGraphql, type GraphqlParts } from './composition/graphql.ts';
import { createReportOpener } from './composition/report.ts';
import { createUpstream } from './composition/upstream.ts';
import type { AppConfig } from './config.ts';
import { GatewayError } from './errors.ts';
import { createSchema } from './graphql/schema/schema.ts';
import { printClientSchema, readTypeDefs } from './graphql/schema/type-defs.ts';
import { listen, type Listener, type ListenerOptions } from './http/connection/listener.ts';
import { createPageServer, type PageServer } from './http/pages/page-server.ts';
import { createRouter } from './http/router.ts';
import { createLog, describeFailure, type Log } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { createViolationCounter } from './telemetry/violation-counter.ts';
import { hideCallerKey } from './upstream/key-redaction/caller-key.ts';

/** A running gateway. Requests that `close` gives up end with UPSTREAM_UNAVAILABLE. */
export interface App extends Pick<Listener, 'url' | 'retire' | 'close'> {
  /** Logs and counts a failure that nothing in the process has handled. */
  readonly reportUnhandled: (cause: unknown) => void;
}

/** Parts to use instead of the app's own. */
export interface AppOptions {
  readonly log?: Log;
  /** Serves the pages; several gateways of one process may share it. */
  readonly pages?: PageServer;
  /** Returns the rules of GraphQL requests to use instead of the app's own, on every path. */
  readonly changeRules?: GraphqlParts['changeRules'];
}

/** Composes the whole gateway and listens. Rejects where the address cannot be used. */
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
  const { pages = createPageServer(sdl) } = options;
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
    openReport: createReportOpener(config, upstream, countViolation),
    hideKey: hideCallerKey,
    retiring: retiring.promise,
    isReady: () => listener?.isReady() ?? true,
    corsOrigins: config.corsOrigins,
    log,
    metrics,
  });
  const opened = await listen(router, listenerOptions(config, metrics, stopping));
  listener = opened;
  // The pages are built at once, so that no request waits for them. `/ready` is not 200 until they are.
  setImmediate(() => void pages.build());
  return {
    url: opened.url,
    retire() {
      const retired = opened.retire();
      retiring.resolve();
      return retired;
    },
    reportUnhandled(cause) {
      metrics.countUnhandled();
      log.error({ error: describeFailure(cause) }, 'internal error');
    },
    async close() {
      retiring.resolve();
      // Nothing else would end the streams.
      feeds.close(stopped('the stream ends with it. Subscribe again.'));
      await opened.close();
      await upstream.transport.close();
    },
  };
}

function listenerOptions(config: AppConfig, metrics: Metrics, stopping: CancelSource): ListenerOptions {
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
