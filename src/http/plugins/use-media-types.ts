import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import type { Runs } from './use-operations.ts';

/** Makes Yoga respond in the chosen media type. Yoga itself ignores the weights of an Accept header. */
export function useMediaTypes(runs: Runs): Plugin<object, GraphqlRequest> {
  return {
    onRequestParse({ request, serverContext: { accepted } }) {
      if (accepted.whole !== null) request.headers.set('accept', accepted.whole);
    },
    onExecutionResult({ request, result, context }) {
      if (!isAsyncIterable(result)) return;
      const { accepted, exchange } = context as object as GraphqlRequest;
      const isStream = (runs.get(exchange)?.latestEventId() ?? null) !== null;
      const type = isStream && accepted.takesEvents ? 'text/event-stream' : accepted.pieces;
      if (type !== null) request.headers.set('accept', type);
    },
  };
}
