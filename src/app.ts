import type { RequestListener } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { CancelSource, type CancelSignal } from './cancellation.ts';
import { createFeeds, openFleet, createReportOpener, createUpstream } from './composition/upstream.ts';
import {
  createGraphql,
  createReaderRoom,
  createSockets,
  type GraphqlParts,
  createTools,
} from './composition/graphql.ts';
import type { AppConfig } from './config.ts';
import { createGraphiql } from './explorer/graphiql.ts';
import { createSite, listPlaces } from './explorer/site.ts';
import type { WorkerStore } from './fleet/shared-store.ts';
import { createSchema } from './resources/schema.ts';
import { printClientSchema, readTypeDefs } from './graphql/schema/type-defs.ts';
import { wireNamesOf } from './graphql/schema/wire-fields.ts';
import { type Listener, AddressError, listen, type ListenerOptions } from './http/connection/listener.ts';
import { createHostCheck } from './http/host-guard.ts';
import { createMetricsEndpoint, createProbes, createPublicEndpoints } from './http/public-endpoints.ts';
import { chooseNone, createCodingChoice } from './http/response/compression.ts';
import { createOriginCheck, originsOf } from './http/origins.ts';
import { createRouter } from './http/router.ts';
import { createSandboxEndpoints, type SandboxControls } from './http/sandbox-endpoints.ts';
import { createResourceMetadata } from './mcp/resource-metadata.ts';
import { version, createLog, describeFailure, type Log } from './telemetry/log.ts';
import { isQuiet } from './telemetry/request-line.ts';
import { createMetrics, type Metrics, createViolationCounter } from './telemetry/metrics.ts';
import { hideCallerKey } from './upstream/key-redaction.ts';
import { GatewayError } from './errors.ts';

/** A running gateway. Requests that `close` gives up end with UPSTREAM_UNAVAILABLE. */
export interface App extends Pick<Listener, 'url' | 'retire' | 'close'> {
  /** The address of the port for probes and metrics; null where they have no port of their own. */
  readonly adminUrl: string | null;
  /** Logs and counts a failure that nothing in the process has handled. */
  readonly reportUnhandled: (cause: unknown) => void;
}

/** Parts to use instead of the app's own. */
export interface AppOptions {
  readonly log?: Log;
  /** Whether the embedded sandbox stands in for the API; absent means no. */
  readonly isSandbox?: boolean;
  /** What moves that sandbox; absent: nothing does from here. */
  readonly sandbox?: SandboxControls;
  /** The API's present, in milliseconds since 1970; absent: that of the sandbox, or of the machine. */
  readonly now?: () => number;
  readonly metrics?: Metrics;
  /** Several gateways of one process may share it. */
  readonly schema?: AppSchema;
  /** Returns the rules of GraphQL requests to use instead of the app's own, on every path. */
  readonly changeRules?: GraphqlParts['changeRules'];
  /** False: graphql-js and Yoga do all, as a judge of the other paths. Absent means true. */
  readonly isCompiling?: boolean;
  /** What the workers of the gateway share; a store that is configured comes before it. */
  readonly workerStore?: WorkerStore;
  /** Whether `/ready` may say so; absent: until the gateway begins to stop. */
  readonly isReady?: () => boolean;
  /**
   * Called once the gateway listens, which is ready when it has ended. It ends when its signal aborts: somebody asks for something, or
   * the gateway stops. Absent: the first requests compile what they need.
   */
  readonly warmUp?: (over: CancelSignal, schema: AppSchema) => Promise<void>;
}

/** The executable schema, and its SDL as clients see it. */
export interface AppSchema {
  readonly schema: GraphQLSchema;
  readonly sdl: string;
}

/** Builds the schema of `schema/` with the resolvers of all resources. */
export function buildAppSchema(): AppSchema {
  const typeDefs = readTypeDefs();
  return { schema: createSchema(typeDefs), sdl: printClientSchema(typeDefs) };
}

/** Composes the whole gateway and listens. Rejects where the address cannot be used. */
export async function startApp(config: AppConfig, options: AppOptions = {}): Promise<App> {
  const { log = createLog(config.logLevel), metrics = createMetrics(log.linesLost) } = options;
  const { changeRules = (rules) => rules, isCompiling = true } = options;
  const { sandbox, isSandbox = sandbox !== undefined } = options;
  const { now = () => sandbox?.now() ?? Date.now() } = options;
  // What traces need is loaded only where they are collected.
  const otlp = config.tracing === null ? null : await import('./telemetry/otlp.ts');
  const tracing = (config.tracing && otlp?.createTracing(config.tracing, metrics.countSpan)) ?? null;
  const countViolation = createViolationCounter(metrics, log);
  const stopping = new CancelSource();
  const fleet = await openFleet(config, options.workerStore ?? null, metrics, log);
  const appSchema = options.schema ?? buildAppSchema();
  const { schema, sdl } = appSchema;
  const upstream = createUpstream(config, metrics, fleet, tracing !== null, wireNamesOf(schema), log, isSandbox);
  sandbox?.whenSet(upstream.forgetKept);
  const feeds = createFeeds(config, upstream, countViolation, fleet, now);
  metrics.watchStreams(() => feeds.size());

  const chooseCoding = config.compression ? createCodingChoice() : chooseNone;
  const places = { hasSchema: config.introspection, hasTools: config.mcp === true };
  const shown = { version, isSandbox, makesDeliveries: sandbox !== undefined };
  const graphiql = config.explorer ? createGraphiql({ ...shown, links: listPlaces(places) }, chooseCoding) : null;
  const parts = {
    chooseCoding,
    upstream,
    feeds,
    metrics,
    log,
    countViolation,
    stopping,
    changeRules,
    isCompiling,
    now,
  };
  const graphql = await createGraphql(config, schema, parts);
  const exchangeParts = { hideKey: hideCallerKey, log, metrics, tracing };
  const origins = originsOf(config.corsOrigins, isSandbox);
  const checkOrigin = createOriginCheck(origins, config.publicUrl, log);
  const countStalled = metrics.countStalledReader;
  const room = createReaderRoom(config, upstream, countStalled);
  const sockets = createSockets(config, schema, graphql, upstream, { ...exchangeParts, checkOrigin, room });
  metrics.watchSockets(() => sockets.size());
  const { endpoints: metadata, challenge } = createResourceMetadata(config);
  const toolParts = { challenge, chooseCoding, version, account: { now, isSandbox }, log, origins };
  const tools = config.mcp === true ? createTools(config, schema, graphql, toolParts) : null;
  const listeners: Listener[] = [];
  const begun = Promise.withResolvers<unknown>();
  const warmUpOver = new CancelSource();
  const { isReady = () => listeners[0]?.isReady() ?? true } = options;
  const probes = createProbes({ begun: begun.promise, isReady });
  const metricsEndpoint = createMetricsEndpoint(metrics);
  const endpoints = {
    ...createPublicEndpoints({
      graphql: graphql.respond,
      sockets,
      sdl: config.introspection ? sdl : null,
      graphiql: graphiql?.page ?? null,
      openReport: createReportOpener(config, upstream, countViolation),
      chooseCoding,
    }),
    ...graphiql?.endpoints,
    ...(sandbox !== undefined && createSandboxEndpoints(sandbox, graphql.readBody)),
    ...tools?.endpoints,
    ...metadata,
    ...probes,
    ...(config.adminPort === null && metricsEndpoint),
  };
  const site = createSite({ ...shown, ...places, hasPages: config.explorer, isReady, chooseCoding, endpoints });
  // A page needs no key of its own before the sandbox, which takes any. Before the API, each name that leads to the gateway is right.
  const checkHost = isSandbox ? createHostCheck({ ...config, origins }) : null;
  const shared = { ...exchangeParts, signupUrl: config.signupUrl, checkHost };
  const { sendNotFound } = site;
  const route = createRouter({
    ...shared,
    endpoints: { ...endpoints, ...site.endpoints },
    sendNotFound,
    origins,
    checkOrigin,
  });
  const ports: Port[] = [
    {
      port: config.port,
      portVariable: 'PORT',
      handle(req, res) {
        if (!warmUpOver.aborted && !isQuiet(req.url ?? '')) warmUpOver.abort(null);
        route(req, res);
      },
      upgrades: {
        accepts: (req) => checkHost?.(req.headers.host) !== false && sockets.accepts(req),
        take(req, connection, head) {
          warmUpOver.abort(null);
          sockets.take(req, connection, head);
        },
      },
    },
  ];
  if (config.adminPort !== null)
    ports.push({
      port: config.adminPort,
      portVariable: 'ADMIN_PORT',
      handle: createRouter({
        ...shared,
        endpoints: { ...probes, ...metricsEndpoint },
        sendNotFound: null,
        origins: [],
        checkOrigin: null,
      }),
      upgrades: null,
    });
  const giveUp = (): void => stopping.abort(stopped('could not wait for the upstream any longer. Try again.'));
  let hasRefused = false;
  const countRefused = (most: number): void => {
    metrics.countRefusedConnection();
    if (!hasRefused) log.error({ most }, 'connections are refused: raise ulimit -n');
    hasRefused = true;
  };
  listeners.push(...(await openPorts(ports, { config, room, countStalled, countRefused, giveUp })));
  const [main, admin] = listeners as [Listener, Listener?];
  if (tools !== null) setImmediate(() => void tools.load());
  const reportUnhandled = (cause: unknown): void => {
    metrics.countUnhandled();
    log.error({ error: describeFailure(cause) }, 'internal error');
  };
  const warmed = options
    .warmUp?.(warmUpOver, appSchema)
    // It is a matter of speed alone, and must wake nobody.
    .catch((cause: unknown) => log.warn({ error: describeFailure(cause) }, 'warm-up failed'));
  setImmediate(() => begun.resolve(warmed));
  return {
    url: main.url,
    adminUrl: admin?.url ?? null,
    retire() {
      warmUpOver.abort(null);
      return main.retire();
    },
    reportUnhandled,
    async close() {
      warmUpOver.abort(null);
      const since = performance.now();
      const waitedFor = { streams: feeds.size().streams, websockets: sockets.size() };
      const connections = main.connections();
      // Nothing else would end the streams.
      feeds.close(stopped('the stream ends with it. Subscribe again.'));
      sockets.stop();
      await main.close();
      await warmed;
      // Until now it has reported that the process is stopping.
      await admin?.cutOff();
      await upstream.transport.close();
      await fleet?.close();
      await tracing?.close();
      const waitedMs = Math.round(performance.now() - since);
      log.info({ ...waitedFor, connections: await connections, waitedMs }, 'stopped');
    },
  };
}

/** A port, and what it serves. */
interface Port extends Pick<ListenerOptions, 'port' | 'portVariable' | 'upgrades'> {
  readonly handle: RequestListener;
}

/** Listens on all ports or on none. Rejects with an AddressError that names every port that cannot be used. */
async function openPorts(
  ports: readonly Port[],
  common: Omit<ListenerOptions, 'port' | 'portVariable' | 'upgrades'>,
): Promise<readonly Listener[]> {
  const opened = await Promise.allSettled(ports.map(({ handle, ...port }) => listen(handle, { ...common, ...port })));
  const listeners = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (listeners.length === ports.length) return listeners;
  await Promise.all(listeners.map((listener) => listener.cutOff()));
  const failures = opened.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
  if (failures.length === 1 || !(failures[0] instanceof AddressError)) throw failures[0];
  const message = failures.map((failure) => (failure as Error).message).join('; ');
  throw new AddressError(message, { cause: failures[0] });
}

/** What a process that stops tells the clients that it cannot wait for. */
function stopped(consequence: string): GatewayError {
  return new GatewayError('UPSTREAM_UNAVAILABLE', { message: `This process is stopping, and ${consequence}` });
}
