import type { IncomingMessage } from 'node:http';
import { requestBody } from '../bounds.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { Documents } from './documents.ts';
import type { RoutedRequest } from './endpoint.ts';
import { createFastPath } from './fast-path.ts';
import { faultOfHead, handOn, parseBody, type ReadBody } from './request/body-reader.ts';
import { readGraphqlRequest, urlParameters, type GraphqlRequest } from './request/graphql-request.ts';
import { createAcceptReader } from './request/media-types.ts';
import { setHeadersForCaller } from './response/cache-headers.ts';
import { createOperationReader, type ReadOperation } from './websocket/socket-operation.ts';
import { createIncrementalCheck, createYogaServer, type YogaOptions } from './yoga.ts';

/** The server of GraphQL over HTTP. */
export interface GraphqlServer {
  /** Responds to a request for GraphQL, or calls its `fail`. */
  readonly respond: (request: RoutedRequest) => void;
  /** Reads operations that come otherwise, by the same rules. */
  readonly readOperation: ReadOperation;
}

type Fail = RoutedRequest['fail'];

const host = 'gateway.invalid';

/** The parts that the paths share, and the choice of paths. */
export interface GraphqlServerOptions extends Omit<YogaOptions, 'documents' | 'isIncremental'> {
  readonly documentLimits: Pick<DocumentLimits, 'tokens'>;
  /** The reader of bodies, which have one bound together. */
  readonly readBody: ReadBody;
  /** Whether there is a fast path; otherwise all requests go through Yoga. */
  readonly isFast: boolean;
  /** Whether clients may ask, by `X-Explain: 1`, which upstream calls they cause. */
  readonly isExplaining: boolean;
  /** Counts each request. */
  readonly countRoute: (route: 'direct' | 'yoga') => void;
}

/**
 * Creates the server of GraphQL over HTTP. Only here is the path of a request chosen: the fast path where it is for a valid query, and
 * Yoga's otherwise. Both follow the rules of `graphql-rules.ts`.
 */
export function createGraphqlServer(options: GraphqlServerOptions): GraphqlServer {
  const { documentLimits, execution, readBody, isFast, isExplaining, countRoute } = options;
  const parts = {
    ...options,
    documents: new Documents(documentLimits, execution.checkDocument),
    isIncremental: createIncrementalCheck(),
  };
  const readAccept = createAcceptReader();
  const yoga = createYogaServer(parts);
  const fastPath = isFast ? createFastPath(parts) : null;

  function throughYoga(request: GraphqlRequest, fail: Fail, req = request.req): void {
    countRoute('yoga');
    setHeadersForCaller(request.res, request.exchange);
    // Yoga makes a URL of the host, and fails at some texts that a client may send.
    req.headers.host = host;
    Promise.resolve(yoga(req, request.res, { ...request })).catch(fail);
  }

  function respondFast(parameters: unknown, mediaType: string | null, request: GraphqlRequest, fail: Fail): boolean {
    if (fastPath === null || mediaType === null) return false;
    const isTaken = fastPath.respond(parameters, mediaType, request, fail);
    if (isTaken) countRoute('direct');
    return isTaken;
  }

  function respond({ req, res, url, exchange, fail }: RoutedRequest): void {
    const request = readGraphqlRequest(req, res, exchange, readAccept(req.headers.accept), isExplaining);
    // The response is that of GET, and Node leaves its body out.
    if (request.isHead) req.method = 'GET';
    const mediaType = fastPath?.accepts(request) ?? null;
    if (req.method === 'GET') {
      const parameters = mediaType === null ? null : urlParameters(url.searchParams);
      if (!respondFast(parameters, mediaType, request, fail)) throughYoga(request, fail);
      return;
    }
    if (mediaType === null && !isToBeRead(req)) return throughYoga(request, fail);
    const take = (body: Buffer): void => {
      const parameters = mediaType === null || body.length > requestBody ? null : parseBody(body);
      if (!respondFast(parameters, mediaType, request, fail)) throughYoga(request, fail, handOn(req, body));
    };
    readBody(req, res, { take, fail });
  }

  return { respond, readOperation: createOperationReader(yoga, options.persisted) };
}

/** Whether there is a body that nothing in the head refuses. */
function isToBeRead({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && faultOfHead(headers) === null && !(Number(headers['content-length']) > requestBody);
}
