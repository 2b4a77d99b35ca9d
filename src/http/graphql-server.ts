import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Context } from '../graphql/context.ts';
import type { EstimateCost } from '../limits/cost.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import type { Log } from '../telemetry/log.ts';
import { createDocumentCache } from './document-cache.ts';
import type { Exchange } from './exchange.ts';
import { useCostLimit } from './plugins/use-cost-limit.ts';
import { useDocumentLimits } from './plugins/use-document-limits.ts';
import { useMaskedErrors } from './plugins/use-masked-errors.ts';
import { useOperationName } from './plugins/use-operation-name.ts';
import { usePersisted, type PersistedOptions } from './plugins/use-persisted.ts';
import { useRefusals } from './plugins/use-refusals.ts';
import type { ServerContext } from './server-context.ts';

export type CreateContext = (authorization: string | undefined, exchange: Exchange) => Context;

const largestBody = 1_048_576;

export interface GraphqlServerOptions {
  readonly schema: GraphQLSchema;
  readonly createContext: CreateContext;
  readonly documentLimits: DocumentLimits;
  readonly estimateCost: EstimateCost;
  /** The most that an operation may cost, in calls and objects. */
  readonly mostCost: number;
  readonly persisted: PersistedOptions;
  readonly log: Log;
}

/** GraphQL over HTTP, and nothing else: pages, origins and errors are decided here, not by Yoga's defaults. */
export function createGraphqlServer(options: GraphqlServerOptions) {
  const { schema, createContext, documentLimits, estimateCost, mostCost, persisted, log } = options;
  return createYoga<ServerContext, Context>({
    schema,
    context: ({ req, exchange }) => createContext(req.headers.authorization, exchange),
    // In this order: a document is found before it is judged, judged before its cost is told, and named before its result
    // is worded; a refusal is an error to be worded like any other.
    plugins: [
      usePersisted(persisted),
      useDocumentLimits(documentLimits),
      useOperationName(),
      useCostLimit(estimateCost, mostCost),
      useRefusals(),
      useMaskedErrors(log),
    ],
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
