import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { ServerContext } from '../request/server-context.ts';

/** Has Yoga answer in the media type that was chosen: by itself it knows no weights. */
export function useMediaTypes(): Plugin<object, ServerContext> {
  return {
    onRequestParse({ request, serverContext: { accepted } }) {
      if (accepted.whole !== null) request.headers.set('accept', accepted.whole);
    },
    onExecutionResult({ request, result, context }) {
      if (!isAsyncIterable(result)) return;
      const { accepted, exchange } = context as object as ServerContext;
      const type = exchange.eventId !== null && accepted.takesEvents ? 'text/event-stream' : accepted.pieces;
      if (type !== null) request.headers.set('accept', type);
    },
  };
}
