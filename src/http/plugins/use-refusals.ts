import { GraphQLError } from 'graphql';
import { isAsyncIterable, processRegularResult, type Plugin } from 'graphql-yoga';
import type { ServerContext } from '../server-context.ts';

/**
 * Puts into words what Yoga refuses with an empty body, 415 and 406, and takes out of its words what they quote of a body
 * that is no JSON.
 */
export function useRefusals(): Plugin<object, ServerContext> {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      // A page of another origin may send a form or plain text without asking first (Fetch, "CORS-safelisted").
      if (request.method === 'POST' && (requestParser === undefined || !isJson(request.headers.get('content-type'))))
        throw refusal(415, 'A query is sent as application/json.');
      if (requestParser === undefined) return;
      setRequestParser(async (given) => {
        try {
          return await requestParser(given);
        } catch (error) {
          throw isNoJson(error) ? refusal(400, 'The request holds JSON that cannot be parsed.') : error;
        }
      });
    },
    onResultProcess(hook) {
      if (hook.resultProcessor !== undefined) return;
      const isStream = isAsyncIterable(hook.result);
      if (isAsyncIterable(hook.result)) void hook.result[Symbol.asyncIterator]().return?.();
      const types = isStream ? 'text/event-stream' : 'application/json or application/graphql-response+json';
      hook.setResult({ errors: [refusal(406, `The answer can be had as ${types}.`)] });
      hook.setResultProcessor(processRegularResult, 'application/json');
    },
  };
}

/** Whether a POST is one of JSON. Yoga goes by what stands before a comma, and takes `application/graphql+json` and others besides. */
export function isJson(contentType: string | null): boolean {
  return contentType?.split(';')[0]?.trim() === 'application/json';
}

/** JSON.parse's own error, or Yoga's, which hands on its words: they quote the body, and whatever secret is in it. */
function isNoJson(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof GraphQLError && 'originalError' in error.extensions);
}

function refusal(status: number, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } });
}
