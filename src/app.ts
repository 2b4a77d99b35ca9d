import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { CancelSource, type CancelSignal } from './cancellation.ts';
import type { AppConfig } from './config.ts';
import { GatewayError } from './errors.ts';
import { createGraphiql } from './explorer/graphiql.ts';
import { createSite } from './explorer/site.ts';
import { openFleet, type Fleet } from './fleet/fleet.ts';
import type { Channels } from './fleet/shared-store.ts';
import { createExecutor } from './graphql/execution/executor.ts';
import { type Listener, listenOn, type Port } from './http/connection/listener.ts';
import { Readers } from './http/connection/stalled-readers.ts';
import { createOperationReader, readTrustedDocuments } from './http/documents.ts';
import { GraphqlExecution, type GraphqlRule } from './http/operation-run.ts';
import { createGraphqlServer } from './http/graphql-server.ts';
import { createHostCheck, createOriginCheck, originsOf } from './http/origins.ts';
import {
  createMetricsEndpoint,
  createProbes,
  createPublicEndpoints,
  createSandboxEndpoints,
  type SandboxControls,
} from './http/endpoints.ts';
import { BodyReader } from './http/request/body-reader.ts';
import { chooseNone, choosePreferred } from './http/response/compression.ts';
import { createRouter } from './http/router.ts';
import { graphqlRules } from './http/operation-rules.ts';
import { SocketServer } from './http/websocket/socket-server.ts';
import { createCostEstimate } from './limits/cost.ts';
import { searchOptionsOf } from './limits/field-cost.ts';
import { DocumentReader } from './limits/document-reader.ts';
import { createDeliveryFeeds, type DeliveryFeeds } from './live/delivery-feeds.ts';
import { StreamRooms } from './live/stream-room.ts';
import { createMcpServer, createResourceMetadata } from './mcp/mcp-server.ts';
import { createRequestContexts } from './request-context.ts';
import { createSchema } from './resources/schema.ts';
import { version, createLog, describeFailure, isQuiet, type Log } from './telemetry/log.ts';
import {
  createMetrics,
  type Metrics,
  createViolationCounter,
  type CountViolation,
  FieldUsage,
} from './telemetry/metrics.ts';
import { StagedClient } from './upstream/client.ts';
import { traceCalls } from './upstream/explanation.ts';
import { createCredentialReader, hideCallerKey } from './upstream/credential.ts';
import { createKnownCallers } from './upstream/stages/known-callers.ts';
import { RateLimits } from './upstream/stages/rate-limit.ts';
import { createStages } from './upstream/stages/stages.ts';
import { createTransport } from './upstream/transport/transport.ts';
import { reportCauses } from './upstream/transport/connections.ts';

/** A running gateway. Requests that `close` gives up end with UPSTREAM_UNAVAILABLE. */
export interface App extends Pick<Listener, 'url' | 'retire' | 'close'> {
  /** The address of the port for probes and metrics; null where they have no port of their own. */
  readonly adminUrl: string | null;
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
  readonly changeRules?: (rules: readonly GraphqlRule[]) => readonly GraphqlRule[];
  /** False: graphql-js does all, as a judge of plans. Absent means true. */
  readonly isCompiling?: boolean;
  /** What one worker of the gateway learns of a caller, the others hear; a store that is configured comes before it. */
  readonly workerNotices?: Channels;
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
  return { schema: createSchema(), sdl: readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8') };
}

/** What all parts of the gateway are made with. */
interface Base {
  readonly config: AppConfig;
  readonly options: AppOptions;
  readonly schema: GraphQLSchema;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly countViolation: CountViolation;
  readonly isSandbox: boolean;
  /** The API's present, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Composes the whole gateway and listens. Rejects where the address cannot be used. */
export async function startApp(config: AppConfig, options: AppOptions = {}): Promise<App> {
  const { log = createLog(config.logLevel), metrics = createMetrics(log.linesLost), sandbox } = options;
  const { isSandbox = sandbox !== undefined, now = () => sandbox?.now() ?? Date.now() } = options;
  // What traces need is loaded only where they are collected.
  const tracing =
    config.tracing && (await import('./telemetry/tracing.ts')).createTracing(config.tracing, metrics.countSpan);
  const fleet = await openFleet(config, options.workerNotices ?? null, metrics, log);
  const appSchema = options.schema ?? buildAppSchema();
  const { schema, sdl } = appSchema;
  const countViolation = createViolationCounter(metrics, log);
  const base: Base = { config, options, schema, log, metrics, countViolation, isSandbox, now };
  const upstream = createUpstream(base, fleet);
  sandbox?.whenSet(upstream.forgetKept);
  const feeds = createFeeds(base, upstream, fleet);
  const stopping = new CancelSource();
  const graphql = createGraphql(base, upstream, feeds, stopping);

  const chooseCoding = config.compression ? choosePreferred : chooseNone;
  const { countRoute, countStalledReader: countClosed } = metrics;
  const respond = createGraphqlServer({ ...graphql, chooseCoding, countRoute });
  const origins = originsOf(config.corsOrigins, isSandbox);
  const checkOrigin = createOriginCheck(origins, config.publicUrl, log);
  const readers = new Readers({ ...config, ...upstream, countClosed });
  const requestParts = { config, hideKey: hideCallerKey, log, metrics, tracing };
  const sockets = new SocketServer({ ...requestParts, ...graphql, ...upstream, checkOrigin, readers });
  metrics.watch('streams', () => feeds.size().streams);
  metrics.watch('polledLists', () => feeds.size().lists);
  metrics.watch('sockets', () => sockets.size);

  const { endpoints: metadata, challenge } = createResourceMetadata(config);
  const toolFormat = { challenge, chooseCoding, version, account: { now, isSandbox } };
  const tools = config.mcp === true ? createMcpServer({ ...graphql, config, origins }, toolFormat) : null;
  const listeners: Listener[] = [];
  const begun = Promise.withResolvers<unknown>();
  const { isReady = () => listeners[0]?.isReady() ?? true } = options;
  const probes = createProbes({ begun: begun.promise, isReady });
  const metricsEndpoint = createMetricsEndpoint(metrics);
  const contents = { version, isSandbox, makesDeliveries: sandbox !== undefined, hasSchema: config.introspection };
  const graphiql = config.explorer ? createGraphiql(contents, chooseCoding) : null;
  const endpoints = {
    ...createPublicEndpoints({
      graphql: respond,
      sockets,
      sdl: config.introspection ? sdl : null,
      graphiql: graphiql?.page ?? null,
      openReport: graphql.openReport,
      chooseCoding,
    }),
    ...graphiql?.endpoints,
    ...(sandbox !== undefined && createSandboxEndpoints(sandbox, graphql.bodies)),
    ...tools?.endpoints,
    ...metadata,
    ...probes,
    ...(config.adminPort === null && metricsEndpoint),
  };
  const site = createSite({ contents, hasPages: config.explorer, isReady, chooseCoding, endpoints });
  // A page needs no key of its own before the sandbox, which takes any. Before the API, each name that leads to the gateway is right.
  const checkHost = isSandbox ? createHostCheck({ ...config, origins }) : null;
  const shared = { ...requestParts, checkHost };
  const route = createRouter({
    ...shared,
    endpoints: { ...endpoints, ...site.endpoints },
    sendNotFound: site.sendNotFound,
    origins,
    checkOrigin,
  });
  const warmUpOver = new CancelSource();
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
  listeners.push(...(await listenOn(ports, { config, readers, countRefused, giveUp })));
  const [main, admin] = listeners as [Listener, Listener?];
  if (tools !== null) setImmediate(() => void tools.load());
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
    async close() {
      warmUpOver.abort(null);
      const since = performance.now();
      const waitedFor = { streams: feeds.size().streams, websockets: sockets.size };
      const connections = main.connections();
      // Nothing else would end the streams.
      feeds.close(stopped('the stream ends with it. Subscribe again.'));
      sockets.stop();
      await main.close();
      await warmed;
      // Until now it has reported that the process is stopping.
      await admin?.cutOff();
      await upstream.transport.close();
      fleet?.close();
      await tracing?.close();
      const waitedMs = Math.round(performance.now() - since);
      log.info({ ...waitedFor, connections: await connections, waitedMs }, 'stopped');
    },
  };
}

type Upstream = ReturnType<typeof createUpstream>;

/** Creates what calls the API for all requests: the client with its stages over one transport. */
function createUpstream({ config, log, metrics, isSandbox }: Base, fleet: Fleet | null) {
  const transport = createTransport({ ...config, proxies: isSandbox ? null : config.proxies }, (fault) =>
    log.warn({ fault: fault.message }, 'changed TLS files are not used'),
  );
  const known = createKnownCallers();
  const rateLimits = new RateLimits({ known, metrics, ...(fleet && { shared: fleet.limits }) });
  const reportUnreachable = reportCauses({
    count: metrics.countUnreachable,
    log: (fields) => log.warn(fields, 'the API cannot be reached'),
  });
  const stages = createStages(config, { known, rateLimits, reportUnreachable, metrics, isSandbox });
  const client = new StagedClient(transport, stages, { ...config, shared: fleet?.reports, metrics });
  metrics.watch('keptReports', () => client.keptReports.count);
  metrics.watch('keptReportBytes', () => client.keptReports.bytes);
  const readCredential = createCredentialReader(isSandbox);
  return {
    transport,
    client: config.tracing === null ? client : traceCalls(client),
    /** The callers whose key the API has accepted. */
    known,
    readCredential,
    /** Names the caller of a request in state that requests share; empty where it has no key. */
    identityOf: (headers: Parameters<RequestListener>[0]['headers']) =>
      readCredential(headers.authorization, headers['x-sandbox']).identity,
    /** Forgets all reports and answers that are kept, and the limits that callers have met. */
    forgetKept: (): void => {
      client.forgetKept();
      rateLimits.clear();
    },
  };
}

/** Creates the live deliveries of all callers. */
function createFeeds({ config, countViolation, now }: Base, { client, known }: Upstream, fleet: Fleet | null) {
  return createDeliveryFeeds(client, {
    ...config,
    now,
    rooms: new StreamRooms(config.subscriptionBufferBytes),
    // Streams share polls. A violation counts for the request that began the poll, whose operation may have ended.
    noteViolation(violation, { requestId, span }) {
      countViolation(violation, { requestId, operationName: null, trace: span?.ids ?? null });
    },
    known,
    share: fleet?.shareFeed,
  });
}

/** Creates the execution of GraphQL over the schema, with its rules and trusted documents. */
function createGraphql(base: Base, upstream: Upstream, feeds: DeliveryFeeds, stopping: CancelSignal) {
  const { config, options, schema, log, metrics, countViolation, now } = base;
  const { changeRules = (rules: readonly GraphqlRule[]) => rules, isCompiling = true } = options;
  const { countOperation: count, countGiveUp } = metrics;
  const { exposeSecrets } = config;
  const executor = createExecutor(schema, { isCompiling, exposeSecrets, count, countGiveUp });
  const contexts = createRequestContexts(config, { ...upstream, feeds, stopping, countViolation, now });
  const reader = new DocumentReader(schema, config, config.introspection);
  const ruleOptions = {
    schema,
    estimateCost: createCostEstimate(schema, searchOptionsOf(config)),
    isIntrospectable: config.introspection,
    countViolation,
    fieldUsage: config.fieldUsage ? new FieldUsage(metrics.countFieldUsage, log) : null,
  };
  /** Creates the execution of operations that may cost so much. */
  const executionWithin = (mostCost: number): GraphqlExecution =>
    new GraphqlExecution({
      rules: changeRules(graphqlRules({ ...ruleOptions, mostCost })),
      executor,
      beginContext: contexts.beginContext,
    });
  const execution = executionWithin(config.limitCost);
  const { persistedOperations: path, persistedOperationsOnly: only } = config;
  const operations = path === null ? null : readTrustedDocuments(path, reader);
  const readOperation = createOperationReader(reader, { operations, only });
  const bodies = new BodyReader(config.workerCount);
  return { schema, execution, executionWithin, reader, readOperation, bodies, openReport: contexts.openReport };
}

/** What a process that stops tells the clients that it cannot wait for. */
function stopped(consequence: string): GatewayError {
  return new GatewayError('UPSTREAM_UNAVAILABLE', { message: `This process is stopping, and ${consequence}` });
}
