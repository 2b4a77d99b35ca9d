import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Context } from '../graphql/context.ts';
import type { Log } from '../telemetry/log.ts';
import type { Exchange } from './exchange.ts';
import { useMaskedErrors } from './plugins/use-masked-errors.ts';
import { useOperationName } from './plugins/use-operation-name.ts';

/** What Yoga is handed with each request. */
export interface ServerContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly exchange: Exchange;
}

export type CreateContext = (authorization: string | undefined, exchange: Exchange) => Context;

const largestBody = 1_048_576;

/** GraphQL over HTTP, and nothing else: pages, origins and errors are decided here, not by Yoga's defaults. */
export function createGraphqlServer(schema: GraphQLSchema, createContext: CreateContext, log: Log) {
  return createYoga<ServerContext, Context>({
    schema,
    context: ({ req, exchange }) => createContext(req.headers.authorization, exchange),
    // In this order: the name is known before a result is worded.
    plugins: [useOperationName(), useMaskedErrors(log)],
    maskedErrors: false,
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    maxRequestBodySize: largestBody,
  });
}
