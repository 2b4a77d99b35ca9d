import { metricsType, type Metrics } from '../telemetry/metrics.ts';
import { type OpenReport, sendReport } from './csv-export.ts';
import { readOnly, refuseMethod, type Endpoints, type Handler, sendJson, sendText } from './endpoint.ts';
import type { SocketServer } from './websocket/socket-server.ts';
import type { Request } from './request/request.ts';
import { keepForCaller, setCommonHeaders } from './response/cache-headers.ts';
import { type ChooseCoding, createKeptText } from './response/compression.ts';
import { preferredType } from './request/media-types.ts';

/** Seconds for which caches may keep the schema. It changes with a release alone, and a generator may see that a little later. */
const sdlCacheSeconds = 300;

export interface PublicEndpointOptions {
  readonly graphql: Handler;
  readonly sockets: Pick<SocketServer, 'refuse'>;
  /** Null where clients may not read the schema. */
  readonly sdl: string | null;
  /** Serves the page of GraphiQL; null where there are no pages for people. */
  readonly graphiql: Handler | null;
  readonly openReport: OpenReport;
  readonly chooseCoding: ChooseCoding;
}

/** The endpoints for clients (interface: "Process"). Only GraphQL takes POST and QUERY. */
export function createPublicEndpoints(options: PublicEndpointOptions): Endpoints {
  const { graphql, sockets, sdl, graphiql, openReport, chooseCoding } = options;
  return {
    '/graphql': (request) => {
      const { req, res } = request;
      // Whoever sends anything else may want to know of QUERY.
      if (req.method !== 'POST') res.setHeader('accept-query', 'application/json');
      if (!request.takesOperation && !request.isRead) return refuseMethod(request, 'GET, POST, QUERY');
      sockets.refuse(req);
      if (graphiql === null || !request.takesPage || wantsAnswer(request)) return graphql(request);
      setCommonHeaders(request);
      return graphiql(request);
    },
    '/exports/charges-breakdown.csv': readOnly((request) => {
      keepForCaller(request.res);
      return sendReport(request, openReport, chooseCoding);
    }),
    ...(sdl !== null && { '/schema.graphql': createSchemaDocument(sdl, chooseCoding) }),
  };
}

/** Whether a request that takes a page would rather have the answer to the query in its address, which the page only opens. */
function wantsAnswer({ req, url }: Request): boolean {
  if (!url.searchParams.has('query')) return false;
  const types = ['text/html', 'application/json', 'application/graphql-response+json'] as const;
  return preferredType(req.headers.accept, types) !== 'text/html';
}

/** Serves the schema in SDL to everybody, and lets caches keep it. A browser gets it as plain text, which it shows. */
function createSchemaDocument(sdl: string, chooseCoding: ChooseCoding): Handler {
  const send = createKeptText(Buffer.from(sdl), chooseCoding, `public, max-age=${sdlCacheSeconds}`);
  return readOnly(({ req, res, accepted }) =>
    send(req, res, accepted.takesPage ? 'text/plain' : 'application/graphql'),
  );
}

export interface ProbeOptions {
  /** Resolves when all is done without which the process is not ready. */
  readonly begun: Promise<unknown>;
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
}

/** Whether the process is alive, and whether it takes traffic. */
export function createProbes({ begun, isReady }: ProbeOptions): Endpoints {
  let state = 'starting';
  void begun.then(() => (state = 'ready'));
  return {
    '/health': readOnly(({ res }) => sendJson(res, 200, { status: 'ok' })),
    '/ready': readOnly(({ res }) => {
      const status = isReady() ? state : 'stopping';
      sendJson(res, status === 'ready' ? 200 : 503, { status });
    }),
  };
}

/** The figures of the process for Prometheus. */
export function createMetricsEndpoint(metrics: Metrics): Endpoints {
  return {
    '/metrics': readOnly(async ({ res }) => {
      sendText(res, 200, metricsType, await metrics.print());
    }),
  };
}
