import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import cors from 'cors';
import { gatewayErrorsOf } from '../errors.ts';
import {
  isPageRequest,
  isRead,
  notFound,
  takesOperation,
  type Endpoints,
  type Handler,
  type RoutedRequest,
} from './endpoint.ts';
import { refuseHost, type CheckHost } from './host-guard.ts';
import type { CheckOrigin, Origins } from './origins.ts';
import { beginExchange, faultOfHost, type Exchange, type ExchangeParts } from './request/exchange.ts';
import { setCommonHeaders, setHeadersForCaller } from './response/cache-headers.ts';
import { logInternalError, sendErrors } from './response/error-response.ts';

export interface RouterOptions extends ExchangeParts {
  readonly endpoints: Endpoints;
  /** Responds to a browser that asks for an unknown address; null where it gets JSON, as every client does. */
  readonly sendNotFound: Handler | null;
  /** Where a key is to be had; null where nobody says. */
  readonly signupUrl: string | null;
  /** Whether a request may be meant for this process; null: any may. */
  readonly checkHost: CheckHost | null;
  /** Origins whose pages may call the endpoints besides their own. */
  readonly origins: Origins;
  /** Called for each request, so that a refused page is logged; null where pages are not expected. */
  readonly checkOrigin: CheckOrigin | null;
}

const origin = 'http://gateway.invalid';
// Most requests go there. Only for the others is a URL parsed.
const graphqlPath = '/graphql';
const graphqlUrl = new URL(graphqlPath, origin);
const authority = /^https?:\/\/[^/?]*/i;

/** Creates the router of the endpoints of one port. */
export function createRouter(options: RouterOptions): RequestListener {
  const { sendNotFound, signupUrl, checkHost, origins, checkOrigin, log } = options;
  const endpoints = new Map(Object.entries(options.endpoints));
  const allowOrigins = origins.length === 0 ? allowNone : allowThese(origins);

  return (req, res) => {
    const exchange = beginExchange(req, res, options);
    const url = req.url === graphqlPath ? graphqlUrl : urlOf(req.url ?? '/');
    const path = url === graphqlUrl ? graphqlPath : (url?.pathname ?? null);
    const known = path === null ? undefined : endpoints.get(path);
    // Its server sets them with the rest of the head, at once.
    const isGraphql = known !== undefined && path === graphqlPath && (takesOperation(req) || isRead(req));
    if (!isGraphql) setCommonHeaders(res, exchange);
    const hostFault = faultOfHost(req);
    const fail = (error: unknown): void => sendFailure(res, exchange, error);
    // A target that is no address is unknown, and nothing reads it.
    const request = { req, res, url: url ?? graphqlUrl, exchange, fail };
    if (checkHost?.(req.headers.host) === false) return serve(refuseHost, request);
    const handle = known ?? (sendNotFound !== null && isPageRequest(req) ? sendNotFound : notFound);
    checkOrigin?.(req.headers);
    allowOrigins(req, res, () => {
      if (known !== undefined && path !== null) exchange.record.endpoint = path;
      if (hostFault !== null) return fail(hostFault);
      serve(handle, request);
    });
  };

  function serve(handle: Handler, request: RoutedRequest): void {
    try {
      const served = handle(request);
      if (served instanceof Promise) served.catch(request.fail);
    } catch (error) {
      request.fail(error);
    }
  }

  function sendFailure(res: ServerResponse, exchange: Exchange, error: unknown): void {
    // Nobody would read a response, and a failure that follows from the client's leaving is no fault of the gateway.
    if (exchange.signal.aborted) return;
    for (const { code, cause } of gatewayErrorsOf(error))
      if (code === 'INTERNAL_SERVER_ERROR') logInternalError(log, exchange, cause);
    if (res.headersSent) return void res.destroy();
    setHeadersForCaller(res, exchange);
    sendErrors(res, exchange, error, { signupUrl });
  }
}

/**
 * The address that a target names; null where it is none, or where its path would have to be resolved first (`/./metrics`,
 * `//x/metrics`): a proxy in front, which closes some paths, would have taken it for another one.
 */
function urlOf(target: string): URL | null {
  const url = URL.parse(target, origin);
  const [path = ''] = target.replace(authority, '').split('?', 1);
  return url !== null && (path || '/') === url.pathname ? url : null;
}

type AllowOrigins = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

const allowNone: AllowOrigins = (_req, _res, next) => next();

function allowThese(origins: Origins): AllowOrigins {
  return cors({
    origin: [...origins],
    methods: ['GET', 'POST', 'QUERY'],
    exposedHeaders: [
      'X-Request-Id',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'Content-Disposition',
      'WWW-Authenticate',
    ],
    maxAge: 600,
  });
}
