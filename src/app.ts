import { CancelSource } from './cancellation.ts';
import { createFeeds } from './composition/feeds.ts';
import { openFleet } from './composition/fleet.ts';
import { createGraphql, type GraphqlParts } from './composition/graphql.ts';
import { openPorts, stopped, type Ports } from './composition/ports.ts';
import { createReportOpener } from './composition/report.ts';
import { createTools } from './composition/tools.ts';
import { createUpstream } from './composition/upstream.ts';
import type { AppConfig } from './config.ts';
import { listPlaces } from './explorer/frame.ts';
import { createPageServer, type PackPages, type PageServer } from './explorer/page-server.ts';
import { createSite } from './explorer/site.ts';
import type { WorkerStore } from './fleet/shared-store.ts';
import { createSchema } from './resources/schema.ts';
import { printClientSchema, readTypeDefs } from './graphql/schema/type-defs.ts';
import { wireNamesOf } from './graphql/schema/wire-fields.ts';
import type { Listener } from './http/connection/listener.ts';
import { createMetricsEndpoint, createProbes } from './http/probes.ts';
import { createPublicEndpoints } from './http/public-endpoints.ts';
import { chooseNone, createCodingChoice } from './http/response/compression.ts';
import { createRouter } from './http/router.ts';
import type { TrustedDocuments } from './http/trusted-documents.ts';
import { createResourceMetadata } from './mcp/resource-metadata.ts';
import { version } from './telemetry/build.ts';
import { createLog, describeFailure, type Log } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { loadTracing } from './telemetry/tracing.ts';
import { createViolationCounter } from './telemetry/violation-counter.ts';
import { createKeyHiding } from './upstream/key-redaction/caller-key.ts';

/** A running gateway. Requests that `close` gives up end with UPSTREAM_UNAVAILABLE. */
export interface App extends Pick<Listener, 'url' | 'retire' | 'close'> {
  /** The address of the port for probes and metrics; null where they have no port of their own. */
  readonly adminUrl: string | null;
  /** Reads the trusted documents again, whole or not at all, and logs which; null where there are none. */
  readonly rereadTrusted: (() => Promise<void>) | null;
  /** Logs and counts a failure that nothing in the process has handled. */
  readonly reportUnhandled: (cause: unknown) => void;
}

/** Parts to use instead of the app's own. */
export interface AppOptions {
  readonly log?: Log;
  /** Whether the embedded sandbox stands in for the API; absent means no. */
  readonly isSandbox?: boolean;
  readonly metrics?: Metrics;
  /** Serves the pages; several gateways of one process may share it. */
  readonly pages?: PageServer;
  /** Builds the pages, where they are not built already. */
  readonly packPages?: PackPages;
  /** Returns the rules of GraphQL requests to use instead of the app's own, on every path. */
  readonly changeRules?: GraphqlParts['changeRules'];
  /** What the workers of the gateway share; a store that is configured comes before it. */
  readonly workerStore?: WorkerStore;
  /** Whether `/ready` may say so; absent: until the gateway begins to stop. */
  readonly isReady?: () => boolean;
}

/** Composes the whole gateway and listens. Rejects where the address cannot be used. */
export async function startApp(config: AppConfig, options: AppOptions = {}): Promise<App> {
  const { log = createLog(config.logLevel), metrics = createMetrics(log.linesLost) } = options;
  const { changeRules = (rules) => rules, isSandbox = false } = options;
  const tracing = await loadTracing(config.tracing, (outcome, count) => metrics.countSpans(outcome, count));
  const countViolation = createViolationCounter(metrics, log);
  const stopping = new CancelSource();
  const fleet = await openFleet(config, options.workerStore ?? null, metrics, log);
  const typeDefs = readTypeDefs();
  const schema = createSchema(typeDefs);
  const upstream = createUpstream(config, metrics, fleet, tracing !== null, wireNamesOf(schema));
  const feeds = createFeeds(config, upstream, countViolation, fleet);
  metrics.watchStreams(() => feeds.size());

  const sdl = printClientSchema(typeDefs);
  const links = listPlaces({ hasSchema: config.introspection, hasTools: config.mcp === true });
  const pages = config.explorer
    ? (options.pages ?? createPageServer({ sdl, version, links, isSandbox }, options.packPages))
    : null;
  const chooseCoding = config.compression ? createCodingChoice() : chooseNone;
  const graphql = createGraphql(config, schema, {
    chooseCoding,
    upstream,
    feeds,
    metrics,
    log,
    countViolation,
    stopping,
    changeRules,
  });
  const { server, trusted } = graphql;
  const { endpoints: metadata, challenge } = createResourceMetadata(config);
  const tools =
    config.mcp === true ? createTools(config, schema, graphql, { challenge, chooseCoding, version, log }) : null;
  const retiring = Promise.withResolvers<void>();
  let ports: Ports | null = null;
  const { isReady = () => ports?.main.isReady() ?? true } = options;
  const probes = createProbes({ pages, retiring: retiring.promise, isReady });
  const metricsEndpoint = createMetricsEndpoint(metrics);
  const endpoints = {
    ...createPublicEndpoints({
      graphql: server,
      sdl: config.introspection ? sdl : null,
      pages,
      openReport: createReportOpener(config, upstream, countViolation),
      chooseCoding,
    }),
    ...tools?.endpoints,
    ...metadata,
    ...probes,
    ...(config.adminPort === null && metricsEndpoint),
  };
  const site = createSite({ version, isSandbox, isReady, hasPages: config.explorer, chooseCoding, endpoints, links });
  const hideKey = createKeyHiding(upstream.credentials.keptKey);
  const shared = { hideKey, signupUrl: config.signupUrl, log, metrics, tracing };
  const served = {
    main: createRouter({
      ...shared,
      endpoints: { ...endpoints, ...site.endpoints },
      sendNotFound: site.sendNotFound,
      corsOrigins: config.corsOrigins,
    }),
    admin: createRouter({
      ...shared,
      endpoints: { ...probes, ...metricsEndpoint },
      sendNotFound: null,
      corsOrigins: null,
    }),
  };
  const { main, admin } = (ports = await openPorts(config, served, metrics, stopping));
  // The pages are built at once, so that no request waits for them. `/ready` is not 200 until they are.
  if (pages !== null) setImmediate(() => void pages.build());
  if (tools !== null) setImmediate(() => void tools.load());
  return {
    url: main.url,
    adminUrl: admin?.url ?? null,
    rereadTrusted: trusted && (() => rereadTrusted(trusted, log)),
    retire() {
      const retired = main.retire();
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
      await main.close();
      // Until now it has reported that the process is stopping.
      await admin?.cutOff();
      await upstream.transport.close();
      await fleet?.close();
      await tracing?.close();
    },
  };
}

async function rereadTrusted(trusted: TrustedDocuments, log: Log): Promise<void> {
  try {
    log.info({ identifiers: await trusted.reread() }, 'trusted documents were read again');
  } catch (error) {
    // The message names the setting, a path or an operation, and holds no value.
    log.error({ error: (error as Error).message }, 'trusted documents could not be read again; those from before stay');
  }
}
