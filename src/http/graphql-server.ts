import type { IncomingMessage } from 'node:http';
import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { requestBody } from '../bounds.ts';
import type { NameCheck } from '../graphql/schema/name-check.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import type { ReadBody } from './request/body-reader.ts';
import type { RoutedRequest } from './endpoint.ts';
import { createFastPath, untouched, type Outcome } from './fast-path.ts';
import { Documents, type ReadText } from './documents.ts';
import { createAcceptReader } from './request/media-types.ts';
import type { GraphqlExecution } from './graphql-execution.ts';
import {
  useCompression,
  useEventStream,
  useMediaTypes,
  useOperations,
  type Runs,
  useStreamHeaders,
} from './plugins/response-plugins.ts';
import {
  useDocuments,
  type FromFastPath,
  useTrustedDocuments,
  type TrustedDocumentOptions,
  useRefusals,
} from './plugins/request-plugins.ts';
import { faultOfHead, handOn, parseBody } from './request/request-body.ts';
import { urlParameters, readGraphqlRequest, type GraphqlRequest } from './request/graphql-request.ts';
import { setHeadersForCaller } from './response/caching.ts';
import type { ChooseCoding } from './response/compression.ts';
import { createIncrementalCheck } from './response/incremental.ts';

/** Responds to a request for GraphQL, or calls its `fail`. */
export type GraphqlServer = (request: RoutedRequest) => void;

type Fail = RoutedRequest['fail'];

const host = 'gateway.invalid';

/** The parts that the paths share, and the choice of paths. */
export interface GraphqlServerOptions {
  readonly schema: GraphQLSchema;
  readonly documentLimits: Pick<DocumentLimits, 'tokens'>;
  readonly execution: GraphqlExecution;
  readonly persisted: TrustedDocumentOptions;
  /** The reader of bodies, which have one bound together. */
  readonly readBody: ReadBody;
  readonly chooseCoding: ChooseCoding;
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
  const { documentLimits, execution, persisted, readBody, chooseCoding, isFast, isExplaining, countRoute } = options;
  const documents = new Documents(documentLimits, execution.checkDocument);
  const isIncremental = createIncrementalCheck();
  const readAccept = createAcceptReader();
  const yoga = createYogaServer(options, documents, isIncremental);
  const fastPath = isFast ? createFastPath({ execution, documents, persisted, isIncremental, chooseCoding }) : null;

  function throughYoga(request: GraphqlRequest, fail: Fail, read: ReadText | null, req = request.req): void {
    countRoute('yoga');
    setHeadersForCaller(request.res, request.exchange);
    // Yoga makes a URL of the host, and fails at some texts that a client may send.
    req.headers.host = host;
    Promise.resolve(yoga(req, request.res, { ...request, read })).catch(fail);
  }

  function respondFast(parameters: unknown, mediaType: string, request: GraphqlRequest, fail: Fail): Outcome {
    const outcome = fastPath?.respond(parameters, mediaType, request, fail) ?? untouched;
    if (outcome.isTaken) countRoute('direct');
    return outcome;
  }

  return ({ req, res, url, exchange, fail }) => {
    const request = readGraphqlRequest(req, res, exchange, readAccept(req.headers.accept), isExplaining);
    // The response is that of GET, and Node leaves its body out.
    if (request.isHead) req.method = 'GET';
    const mediaType = fastPath?.accepts(request) ?? null;
    if (req.method === 'GET') {
      const outcome =
        mediaType === null ? untouched : respondFast(urlParameters(url.searchParams), mediaType, request, fail);
      return outcome.isTaken ? undefined : throughYoga(request, fail, outcome.read);
    }
    if (mediaType === null && !isToBeRead(req)) return throughYoga(request, fail, null);
    const take = (body: Buffer): void => {
      const outcome = mediaType === null ? untouched : respondFast(parseBody(body), mediaType, request, fail);
      if (!outcome.isTaken) throughYoga(request, fail, outcome.read, handOn(req, body));
    };
    return readBody(req, res, { take, fail });
  };
}

/** Whether there is a body that nothing in the head refuses. */
function isToBeRead({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && faultOfHead(headers) === null && !(Number(headers['content-length']) > requestBody);
}

/** Creates Yoga without its defaults for pages, origins and errors, which Switchboard decides itself. */
function createYogaServer(options: GraphqlServerOptions, documents: Documents, isIncremental: NameCheck) {
  const { schema, execution, persisted, chooseCoding } = options;
  const runs: Runs = new WeakMap();
  return createYoga<GraphqlRequest & FromFastPath, GraphqlRequest>({
    schema,
    // The order matters: the media type of the response is chosen before anything can be refused. A document is found before it
    // is checked. A refusal is an error, which the last plugin formats.
    plugins: [
      useMediaTypes(runs),
      useTrustedDocuments(persisted),
      useDocuments(documents),
      useRefusals(),
      useStreamHeaders(),
      useCompression(chooseCoding),
      useDeferStream(),
      useEventStream(runs),
      useOperations(execution, runs, isIncremental),
    ],
    maskedErrors: false,
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    maxRequestBodySize: requestBody,
    // This cache would keep invalid documents too.
    parserAndValidationCache: false,
  });
}
