import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import type { Runs } from './use-operations.ts';

/** Has Yoga answer in the media type that was chosen: by itself it knows no weights. */
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
