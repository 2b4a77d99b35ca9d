import { GraphQLError } from 'graphql';
import { isAsyncIterable, processRegularResult, type Plugin } from 'graphql-yoga';
import { faultOfHead, textOf } from '../request/request-body.ts';
import type { GraphqlRequest } from '../request/graphql-request.ts';

/**
 * Reads the bodies of requests, and refuses what can be refused before the document is read. Yoga has no message for 415 and
 * 406, and its message for a body that is no JSON would quote the body.
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
            return await requestParser(given);
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

function parse(body: Buffer): object {
  const text = textOf(body);
  if (text === null) throw refusal(400, 'The request holds JSON that is not in UTF-8.');
  const value = parsed(text);
  if (typeof value === 'object' && value !== null) return value;
  throw refusal(400, 'The request holds JSON that is no object.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the SyntaxError quotes the body, which may hold a secret.
    throw noJson();
  }
}

function noJson(): GraphQLError {
  return refusal(400, 'The request holds JSON that cannot be parsed.');
}

function notAcceptable(): GraphQLError {
  return refusal(406, 'The response is available as application/json or application/graphql-response+json.');
}

function refusal(status: number, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } });
}
