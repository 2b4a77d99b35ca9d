import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Context } from '../graphql/context.ts';
import type { Log } from '../telemetry/log.ts';
import { createDocumentCache } from './document-cache.ts';
import type { Exchange } from './exchange.ts';
import { useMaskedErrors } from './plugins/use-masked-errors.ts';
import { useOperationName } from './plugins/use-operation-name.ts';
import { useRefusals } from './plugins/use-refusals.ts';
import type { ServerContext } from './server-context.ts';

export type CreateContext = (authorization: string | undefined, exchange: Exchange) => Context;

const largestBody = 1_048_576;

/** GraphQL over HTTP, and nothing else: pages, origins and errors are decided here, not by Yoga's defaults. */
export function createGraphqlServer(schema: GraphQLSchema, createContext: CreateContext, log: Log) {
  return createYoga<ServerContext, Context>({
    schema,
    context: ({ req, exchange }) => createContext(req.headers.authorization, exchange),
    // In this order: the name is known before a result is worded, and a refusal is an error to be worded like any other.
    plugins: [useOperationName(), useRefusals(), useMaskedErrors(log)],
    maskedErrors: false,
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    maxRequestBodySize: largestBody,
    parserAndValidationCache: { documentCache: createDocumentCache(), errorCache: createDocumentCache() },
  });
}
