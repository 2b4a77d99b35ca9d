import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import cors from 'cors';
import { GatewayError, gatewayErrorsOf } from '../errors.ts';
import { describeFailure, type Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { beginExchange, type Exchange, type HideKey } from './request/exchange.ts';
import { sendReport, type OpenReport } from './report-export.ts';
import { isPageRequest } from './pages/graphiql-request.ts';
import type { GraphqlServer } from './graphql-server.ts';
import { sendErrors } from './response/json-errors.ts';
import type { PageServer } from './pages/page-server.ts';
import { endUnreadBody } from './request/unread-body.ts';

export interface RouterOptions {
  readonly graphql: GraphqlServer;
  readonly sdl: string;
  readonly pages: PageServer;
  readonly openReport: OpenReport;
  readonly hideKey: HideKey;
  /** Resolves when the process begins to stop. */
  readonly retiring: Promise<void>;
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
  readonly corsOrigins: readonly string[] | null;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A request with what its handler needs. */
interface RoutedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: URL;
  readonly exchange: Exchange;
}

type Handler = (request: RoutedRequest) => unknown;

const origin = 'http://gateway.invalid';
// Most requests go there. Only for the others is a URL parsed.
const graphqlUrl = new URL('/graphql', origin);

/** Creates the router of the process's endpoints (interface: "Process"). Only GraphQL takes POST. */
export function createRouter(options: RouterOptions): RequestListener {
  const { graphql, sdl, pages, openReport, hideKey, retiring, isReady, corsOrigins, log, metrics } = options;
  const allowOrigins = corsOrigins === null ? allowNone : allowThese(corsOrigins);
  let isStarting = true;

  const handlers: Readonly<Record<string, Handler>> = {
    '/graphql': ({ req, res, url, exchange }) => {
      // A target may be a whole URL (RFC 9112, section 3.2.2). Its path and query matter here.
      req.url = url.pathname + url.search;
      return isPageRequest(req, url) ? pages.sendGraphiql(req, res) : graphql(req, res, exchange);
    },
    '/schema.graphql': readOnly(({ res }) => send(res, 200, 'application/graphql; charset=utf-8', sdl)),
    '/voyager': readOnly(({ req, res }) => pages.sendVoyager(req, res)),
    '/exports/charges-breakdown.csv': readOnly(({ req, res, url, exchange }) =>
      sendReport(req, res, url.searchParams, exchange, openReport),
    ),
    '/health': readOnly(({ res }) => sendJson(res, 200, { status: 'ok' })),
    '/ready': readOnly(async ({ res }) => {
      if (isStarting) await Promise.race([pages.build(), retiring]);
      isStarting = false;
      if (isReady()) sendJson(res, 200, { status: 'ready' });
      else sendJson(res, 503, { status: 'stopping' });
    }),
    '/metrics': readOnly(async ({ res }) => {
      const { text, contentType } = await metrics.print();
      send(res, 200, contentType, text);
    }),
  };

  return (req, res) => {
    endUnreadBody(req, res);
    const exchange = beginExchange(req, res, log, metrics, hideKey);
    res.setHeader('x-content-type-options', 'nosniff');
    const url = req.url === '/graphql' ? graphqlUrl : URL.parse(req.url ?? '/', origin);
    const handle = url === null || !Object.hasOwn(handlers, url.pathname) ? undefined : handlers[url.pathname];
    allowOrigins(req, res, () => {
      if (url === null || handle === undefined)
        return sendErrors(res, exchange, new GatewayError('NOT_FOUND', { message: 'There is no such endpoint.' }));
      exchange.record.noteEndpoint(url.pathname);
      Promise.try(handle, { req, res, url, exchange }).catch((error: unknown) => {
        // A failure that follows from the client's leaving is no fault of the gateway, and nobody would read it.
        if (exchange.signal.aborted) return;
        for (const { code, cause } of gatewayErrorsOf(error))
          if (code === 'INTERNAL_SERVER_ERROR')
            log.error({ requestId: exchange.requestId, error: describeFailure(cause) }, 'internal error');
        if (res.headersSent) res.destroy();
        else sendErrors(res, exchange, error);
      });
    });
  };
}

type AllowOrigins = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

const allowNone: AllowOrigins = (_req, _res, next) => next();

function allowThese(origins: readonly string[]): AllowOrigins {
  return cors({
    origin: [...origins],
    methods: ['GET', 'POST'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'Content-Disposition'],
    maxAge: 600,
  });
}

function readOnly(handle: Handler): Handler {
  return (request) => {
    const { req, res, exchange } = request;
    if (req.method === 'GET' || req.method === 'HEAD') return handle(request);
    res.setHeader('allow', 'GET, HEAD');
    const refusal = new GatewayError('BAD_USER_INPUT', { message: 'This endpoint takes GET alone.' });
    return sendErrors(res, exchange, refusal, 405);
  };
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  send(res, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

function send(res: ServerResponse, status: number, contentType: string, body: string): void {
  res.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  res.end(body);
}
