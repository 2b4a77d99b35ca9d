import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import cors from 'cors';
import { GatewayError } from '../errors.ts';
import type { CheckHost, CheckOrigin, Origins } from './origins.ts';
import { ambiguityOf, graphqlUrl, Request, type RequestParts } from './request/request.ts';
import { setCommonHeaders, keepForCaller } from './response/cache-headers.ts';
import { sendFailure, sendErrors } from './response/error-response.ts';

/** Responds to a request. What it throws goes to `sendFailure`. */
export type Handler = (request: Request) => unknown;

/** Handlers by their path. The path is the endpoint's name in the log and the metrics. */
export type Endpoints = Readonly<Record<string, Handler>>;

interface RouterOptions extends RequestParts {
  readonly endpoints: Endpoints;
  /** Responds to a browser that asks for an unknown address; null where it gets JSON, as every client does. */
  readonly sendNotFound: Handler | null;
  /** Whether a request may be meant for this process; null: any may. */
  readonly checkHost: CheckHost | null;
  /** Origins whose pages may call the endpoints besides their own. */
  readonly origins: Origins;
  /** Called for each request, so that a refused page is logged; null where pages are not expected. */
  readonly checkOrigin: CheckOrigin | null;
}

const authority = /^https?:\/\/[^/?]*/i;

/** Creates the router of the endpoints of one port. */
export function createRouter(options: RouterOptions): RequestListener {
  const { sendNotFound, checkHost, origins, checkOrigin } = options;
  const endpoints = new Map(Object.entries(options.endpoints));
  const allowOrigins = origins.length === 0 ? null : allowThese(origins);

  return (req, res) => {
    const url = req.url === graphqlUrl.pathname ? graphqlUrl : urlOf(req.url ?? '/');
    // A target that is no address is unknown, and nothing reads it.
    const request = new Request(req, res, options, url ?? graphqlUrl).endWithResponse();
    const path = url?.pathname ?? '';
    const known = endpoints.get(path);
    // Its server sets them with the rest of the head, at once.
    const isGraphql = known !== undefined && path === graphqlUrl.pathname && (request.takesOperation || request.isRead);
    if (!isGraphql) setCommonHeaders(request);
    const isOurs = checkHost?.(req.headers.host) !== false;
    if (isOurs) checkOrigin?.(req.headers);
    const serve = async (): Promise<void> => {
      try {
        if (!isOurs) throw otherHost();
        if (known !== undefined) request.endpoint = path;
        const ambiguity = ambiguityOf(req);
        if (ambiguity !== null) throw ambiguity;
        const handle = known ?? (sendNotFound !== null && request.takesPage ? sendNotFound : notFound);
        await handle(request);
      } catch (error) {
        sendFailure(request, error);
      }
    };
    if (allowOrigins === null || !isOurs) void serve();
    else allowOrigins(req, res, () => void serve());
  };
}

/**
 * The address that a target names; null where it is none, or where its path would have to be resolved first (`/./metrics`,
 * `//x/metrics`): a proxy in front, which closes some paths, would have taken it for another one.
 */
function urlOf(target: string): URL | null {
  const url = URL.parse(target, graphqlUrl.origin);
  const [path = ''] = target.replace(authority, '').split('?', 1);
  return url !== null && (path || '/') === url.pathname ? url : null;
}

/** What answers preflight requests, and names the origin whose page may read an answer. */
function allowThese(origins: Origins): (req: IncomingMessage, res: ServerResponse, next: () => void) => void {
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

/** The refusal of a request whose Host is no name of this process. */
function otherHost(): GatewayError {
  return new GatewayError('FORBIDDEN', {
    message: 'The Host of the request is no name of this gateway: PUBLIC_URL and CORS_ORIGINS name further ones.',
  });
}

/** Makes a handler refuse every method but GET and HEAD. */
export function readOnly(handle: Handler): Handler {
  return (request) => (request.isRead ? handle(request) : refuseMethod(request, 'GET, HEAD'));
}

/** Refuses the method of a request, whatever else may be wrong with it, and names the methods that the endpoint allows. */
export function refuseMethod(request: Request, allowed: string): void {
  keepForCaller(request.res);
  request.res.setHeader('allow', allowed);
  const refusal = new GatewayError('BAD_USER_INPUT', { message: `This endpoint takes ${allowed} alone.` });
  sendErrors(request, refusal, 405);
}

/** Refuses a request for an address that there is not. */
const notFound: Handler = (request) =>
  sendErrors(request, new GatewayError('NOT_FOUND', { message: 'There is no such endpoint.' }));
