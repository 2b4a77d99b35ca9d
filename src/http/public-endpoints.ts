import {
  isPageRequest,
  isRead,
  readOnly,
  refuseMethod,
  type Endpoints,
  type Handler,
  type RoutedRequest,
} from './endpoint.ts';
import type { GraphqlServer } from './graphql-server.ts';
import { sendReport, type OpenReport } from './report-export.ts';
import { secondCredential } from './request/authorization.ts';
import { keepForCaller, setCommonHeaders } from './response/caching.ts';
import type { ChooseCoding } from './response/compression.ts';
import { createSchemaDocument } from './schema-document.ts';

export interface PublicEndpointOptions {
  readonly graphql: GraphqlServer;
  /** Null where clients may not read the schema. */
  readonly sdl: string | null;
  /** The pages about the schema; null where there are none for people. */
  readonly pages: { readonly graphiql: Handler; readonly schema: Handler } | null;
  readonly openReport: OpenReport;
  readonly chooseCoding: ChooseCoding;
}

/** The endpoints for clients (interface: "Process"). Only GraphQL takes POST. */
export function createPublicEndpoints(options: PublicEndpointOptions): Endpoints {
  const { graphql, sdl, pages, openReport, chooseCoding } = options;
  return {
    '/graphql': (request) => {
      const { req, res, url, exchange } = request;
      if (req.method !== 'POST' && !isRead(req)) return refuseForCaller(request);
      refuseSecondCredential(request);
      // A target may be a whole URL (RFC 9112, section 3.2.2). Its path and query matter here.
      if (req.url !== '/graphql') req.url = url.pathname + url.search;
      // With a query, a browser wants its result.
      const isForPage = pages !== null && isPageRequest(req) && !url.searchParams.has('query');
      if (!isForPage) return graphql(request);
      setCommonHeaders(res, exchange);
      return pages.graphiql(request);
    },
    '/exports/charges-breakdown.csv': forCaller(
      readOnly((request) => {
        refuseSecondCredential(request);
        return sendReport(request, openReport, chooseCoding);
      }),
    ),
    ...(sdl !== null && { '/schema.graphql': createSchemaDocument(sdl, chooseCoding) }),
    // The picture holds the schema.
    ...(sdl !== null && pages !== null && { '/voyager': readOnly(pages.schema) }),
  };
}

const refuseForCaller = forCaller((request) => refuseMethod(request, 'GET, POST'));

function forCaller(handle: Handler): Handler {
  return (request) => {
    keepForCaller(request.res);
    return handle(request);
  };
}

function refuseSecondCredential({ req }: RoutedRequest): void {
  const refusal = secondCredential(req);
  if (refusal !== null) throw refusal;
}
