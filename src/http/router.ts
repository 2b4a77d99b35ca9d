import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import cors from 'cors';
import { GatewayError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { beginExchange, type Exchange } from './exchange.ts';
import { sendReport, type OpenReport } from './exports.ts';
import type { ServerContext } from './graphql-server.ts';
import { isPageRequest, sendGraphiql } from './graphiql.ts';
import { sendErrors } from './json-errors.ts';

export interface RouterOptions {
  readonly graphql: (req: IncomingMessage, res: ServerResponse, context: ServerContext) => unknown;
  readonly sdl: string;
  readonly openReport: OpenReport;
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
  readonly corsOrigins: readonly string[] | null;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface Visit {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: URL;
  readonly exchange: Exchange;
}

type Endpoint = (visit: Visit) => unknown;

/** The endpoints of the process (interface: "Process"). All but GraphQL answer to GET and HEAD alone. */
export function createRouter(options: RouterOptions): RequestListener {
  const { graphql, sdl, openReport, isReady, corsOrigins, log, metrics } = options;
  const allowOrigins = cors({
    origin: corsOrigins === null ? false : [...corsOrigins],
    methods: ['GET', 'POST'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'Content-Disposition'],
    maxAge: 600,
  });

  const endpoints: Readonly<Record<string, Endpoint>> = {
    '/graphql': ({ req, res, url, exchange }) =>
      isPageRequest(req, url) ? sendGraphiql(req, res) : graphql(req, res, { req, res, exchange }),
    '/schema.graphql': readOnly(({ res }) => send(res, 200, 'application/graphql; charset=utf-8', sdl)),
    '/exports/charges-breakdown.csv': readOnly(({ req, res, url, exchange }) =>
      sendReport(res, url.searchParams, req.headers.authorization, exchange, openReport),
    ),
    '/health': readOnly(({ res }) => sendJson(res, 200, { status: 'ok' })),
    '/ready': readOnly(({ res }) =>
      isReady() ? sendJson(res, 200, { status: 'ready' }) : sendJson(res, 503, { status: 'stopping' }),
    ),
    '/metrics': readOnly(async ({ res }) => {
      const { text, contentType } = await metrics.print();
      send(res, 200, contentType, text);
    }),
  };

  return (req, res) => {
    const exchange = beginExchange(req, res, log, metrics);
    res.setHeader('x-content-type-options', 'nosniff');
    const url = URL.parse(req.url ?? '/', 'http://gateway.invalid');
    const endpoint = url === null || !Object.hasOwn(endpoints, url.pathname) ? undefined : endpoints[url.pathname];
    allowOrigins(req, res, () => {
      if (url === null || endpoint === undefined)
        return sendErrors(res, exchange, new GatewayError('NOT_FOUND', { message: 'There is no such endpoint.' }));
      exchange.endpoint = url.pathname;
      Promise.resolve(endpoint({ req, res, url, exchange })).catch((error: unknown) => {
        log.error(
          { requestId: exchange.requestId, error: error instanceof Error ? error.name : typeof error },
          'endpoint failed',
        );
        if (res.headersSent) res.destroy();
        else sendErrors(res, exchange, error);
      });
    });
  };
}

function readOnly(endpoint: Endpoint): Endpoint {
  return (visit) => {
    if (visit.req.method === 'GET' || visit.req.method === 'HEAD') return endpoint(visit);
    visit.res.setHeader('allow', 'GET, HEAD');
    return sendJson(visit.res, 405, {
      errors: [{ message: 'This endpoint answers to GET alone.', extensions: { code: 'BAD_USER_INPUT' } }],
    });
  };
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  send(res, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

function send(res: ServerResponse, status: number, contentType: string, body: string): void {
  res.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  res.end(body);
}
