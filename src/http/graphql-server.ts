import type { IncomingMessage } from 'node:http';
import { requestBody } from '../bounds.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { Documents } from './documents.ts';
import { isRead, type RoutedRequest } from './endpoint.ts';
import { createFastPath } from './fast-path.ts';
import { faultOfHead, parseBody, type ReadBody } from './request/body-reader.ts';
import { readGraphqlRequest, urlParameters, type GraphqlRequest } from './request/graphql-request.ts';
import { createAcceptReader } from './request/media-types.ts';
import { setHeadersForCaller } from './response/cache-headers.ts';
import { createOperationReader, type ReadOperation } from './websocket/socket-operation.ts';
import { bodyTooLarge, createIncrementalCheck, createYogaServer, type YogaOptions } from './yoga.ts';

/** The server of GraphQL over HTTP. */
export interface GraphqlServer {
  /** Responds to a request for GraphQL, or calls its `fail`. */
  readonly respond: (request: RoutedRequest) => void;
  /** Reads operations that come otherwise, by the same rules. */
  readonly readOperation: ReadOperation;
}

// Yoga makes a URL of the host, and fails at some texts that a client may send.
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

  function throughYoga(request: GraphqlRequest, { url, fail }: RoutedRequest, given: () => unknown): void {
    countRoute('yoga');
    const { req, res, exchange } = request;
    setHeadersForCaller(res, exchange);
    const seen = Object.assign(Object.create(req) as IncomingMessage, {
      // The response to HEAD is that to GET, and Node leaves its body out.
      method: isRead(req) ? 'GET' : 'POST',
      // A target may be a whole URL (RFC 9112, section 3.2.2). Its path and query matter here.
      url: url.pathname + url.search,
      headers: { ...req.headers, host },
    });
    Promise.resolve(yoga(seen, res, { ...request, given })).catch(fail);
  }

  function respond(routed: RoutedRequest): void {
    const { req, res, url, exchange, fail } = routed;
    const request = readGraphqlRequest(req, res, exchange, readAccept(req.headers.accept), isExplaining);
    const mediaType = fastPath?.accepts(request) ?? null;
    const respondTo = (parameters: unknown): void => {
      const isTaken = mediaType !== null && fastPath?.respond(parameters, mediaType, request, fail) === true;
      if (isTaken) countRoute('direct');
      else throughYoga(request, routed, () => parameters);
    };
    if (isRead(req)) return respondTo(urlParameters(url.searchParams));
    const tooLarge = (): void =>
      throughYoga(request, routed, () => {
        throw bodyTooLarge();
      });
    if (faultOfHead(req.headers) !== null || Number(req.headers['content-length']) > requestBody) return tooLarge();
    const take = (body: Buffer): void => (body.length > requestBody ? tooLarge() : respondTo(parseBody(body)));
    return readBody(req, res, { take, fail });
  }

  return { respond, readOperation: createOperationReader(yoga, options.persisted) };
}
