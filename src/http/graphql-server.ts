import type { IncomingMessage, ServerResponse } from 'node:http';
import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { requestBody } from '../bounds.ts';
import type { Context } from '../graphql/context.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { createBodyReader } from './request/body-reader.ts';
import { createFastPath } from './fast-path.ts';
import { createDocumentCache, type KnownDocuments } from './document-cache.ts';
import type { Exchange } from './request/exchange.ts';
import { createAcceptReader } from './request/media-types.ts';
import type { GraphqlExecution } from './graphql-execution.ts';
import { useDocuments } from './plugins/use-documents.ts';
import { useEventStream } from './plugins/use-event-stream.ts';
import { useMediaTypes } from './plugins/use-media-types.ts';
import { useOperations } from './plugins/use-operations.ts';
import { usePersisted, type PersistedOptions } from './plugins/use-persisted.ts';
import { useRefusals } from './plugins/use-refusals.ts';
import { faultOfHead, handOn } from './request/request-body.ts';
import type { ServerContext } from './request/server-context.ts';
import type { Lifetime } from './request/lifetime.ts';

/** What is begun with a context ends with the span, where it is shorter than the exchange. */
export type CreateContext = (authorization: string | undefined, exchange: Exchange, lifetime?: Lifetime) => Context;

/** Answers a request for GraphQL. */
export type GraphqlServer = (req: IncomingMessage, res: ServerResponse, exchange: Exchange) => unknown;

const host = 'gateway.invalid';

export interface GraphqlServerOptions {
  readonly schema: GraphQLSchema;
  readonly createContext: CreateContext;
  readonly documentLimits: DocumentLimits;
  readonly execution: GraphqlExecution;
  readonly persisted: PersistedOptions;
  /** Whether there is a short way in; else all requests go through Yoga. */
  readonly isDirect: boolean;
  /** Whether clients may ask, by `X-Explain: 1`, which upstream calls they cause. */
  readonly isExplaining: boolean;
  /** Told of each request. */
  readonly countRoute: (route: 'direct' | 'yoga') => void;
}

/**
 * GraphQL over HTTP, and nothing else. The one place that decides which way a request is answered: directly, where its query
 * is known, and through Yoga, where anything about it is yet to be found out.
 */
export function createGraphqlServer(options: GraphqlServerOptions): GraphqlServer {
  const { execution, createContext, persisted, isDirect, isExplaining, countRoute } = options;
  const known: KnownDocuments = createDocumentCache();
  const readAccept = createAcceptReader();
  const yoga = createYogaServer(options, known);
  const fastPath = createFastPath({ execution, known, createContext });
  const readBody = createBodyReader();
  const isShort = isDirect && !persisted.only;

  const throughYoga = (context: ServerContext, req = context.req): unknown => {
    countRoute('yoga');
    // Yoga makes a URL of it, and fails at what a client may write there.
    req.headers.host = host;
    return yoga(req, context.res, context);
  };

  return async (req, res, exchange) => {
    exchange.lastEventId = lastEventIdOf(req);
    exchange.isExplained = isExplaining && req.headers['x-explain'] === '1';
    const isHead = req.method === 'HEAD';
    // It is answered as GET is, and Node leaves the body out.
    if (isHead) req.method = 'GET';
    const accepted = readAccept(req.headers.accept);
    exchange.takesStream = accepted.takesEvents && !isHead;
    const context: ServerContext = { req, res, exchange, accepted, isHead };
    const mediaType = isShort ? fastPath.accepts(req, accepted) : null;
    if (mediaType === null && !isToBeRead(req)) return throughYoga(context);
    const body = await readBody(req, res);
    const answer = mediaType && fastPath.answer(body, mediaType, context);
    if (answer === null) return throughYoga(context, handOn(req, body));
    countRoute('direct');
    return answer;
  };
}

/** Whether there is a body that says nothing for which it would be refused. */
function isToBeRead({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && faultOfHead(headers) === null && !(Number(headers['content-length']) > requestBody);
}

/** Pages, origins and errors are decided here, not by Yoga's defaults. */
function createYogaServer(options: GraphqlServerOptions, known: KnownDocuments) {
  const { schema, createContext, documentLimits, execution, persisted } = options;
  return createYoga<ServerContext, Context>({
    schema,
    context: ({ req, exchange }) => createContext(req.headers.authorization, exchange),
    // In this order: the media type of the answer is chosen before anything can be refused; a document is found before it is judged, and judged before it is executed and its result is worded; a
    // refusal is an error to be worded like any other.
    plugins: [
      useMediaTypes(),
      usePersisted(persisted),
      useDocuments(documentLimits, known),
      useRefusals(),
      useDeferStream(),
      useEventStream(execution),
      useOperations(execution, ({ req, exchange }, lifetime) =>
        createContext(req.headers.authorization, exchange, lifetime),
      ),
    ],
    maskedErrors: false,
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    maxRequestBodySize: requestBody,
    // It would keep what it has not understood, too.
    parserAndValidationCache: false,
  });
}

function lastEventIdOf({ headers }: IncomingMessage): string | null {
  const given = headers['last-event-id'];
  return given === undefined ? null : String(given);
}
