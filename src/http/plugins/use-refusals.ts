import { GraphQLError } from 'graphql';
import { isAsyncIterable, processRegularResult, type Plugin } from 'graphql-yoga';
import { faultOfHead, parseBody } from '../request/request-body.ts';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import { identifierOf } from './use-trusted-documents.ts';

/**
 * Reads the bodies of requests, and refuses what can be refused before the document is read. Yoga has no message for 415 and
 * 406, its message for a body that is no JSON would quote the body, and it takes a GET without a query for a query that failed.
 */
export function useRefusals(): Plugin<object, GraphqlRequest> {
  return {
    onRequestParse({ request, requestParser, setRequestParser, serverContext: { req, accepted } }) {
      if (accepted.whole === null) throw notAcceptable();
      if (request.method === 'POST') {
        // A page of another origin may send a form or plain text without a preflight request (Fetch, "CORS-safelisted").
        const fault = faultOfHead(req.headers);
        if (fault !== null) throw refusal(415, fault);
        return setRequestParser(async (given) => parse(Buffer.from(await given.arrayBuffer())));
      }
      if (requestParser !== undefined)
        setRequestParser(async (given) => {
          try {
            return withQuery(await requestParser(given), given);
          } catch (error) {
            throw error instanceof SyntaxError ? noJson() : error;
          }
        });
    },
    onResultProcess(hook) {
      if (hook.resultProcessor !== undefined) return;
      if (isAsyncIterable(hook.result)) {
        // The results are dropped, so a failure to end them concerns nobody.
        hook.result[Symbol.asyncIterator]()
          .return?.()
          ?.catch(() => {});
        hook.setResult({ errors: [refusal(406, 'The response is available as text/event-stream.')] });
      }
      hook.setResultProcessor(processRegularResult, 'application/json');
    },
  };
}

/** Returns the parameters of a GET. Refuses them where they name no document in any way. */
function withQuery<Parameters extends object>(parameters: Parameters, request: Request): Parameters {
  if ('query' in parameters && parameters.query !== '' && parameters.query != null) return parameters;
  if (identifierOf(parameters, request) !== null) return parameters;
  throw refusal(400, 'A query must be provided: POST it as JSON, or put it into the URL as ?query=.');
}

function parse(body: Buffer): object {
  const value = parseBody(body);
  if (value === undefined) throw noJson();
  if (typeof value === 'object' && value !== null) return value;
  throw refusal(400, 'The request holds JSON that is no object.');
}

function noJson(): GraphQLError {
  return refusal(400, 'The request holds JSON that cannot be parsed, or is not in UTF-8.');
}

function notAcceptable(): GraphQLError {
  return refusal(406, 'The response is available as application/json or application/graphql-response+json.');
}

function refusal(status: number, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } });
}
