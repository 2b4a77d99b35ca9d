import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';

const headers = {
  'content-type': 'text/event-stream',
  // Some proxies hold a response back until it is whole.
  'x-accel-buffering': 'no',
};
// Proxies and clients close a connection on which nothing comes for about a minute.
const keepAliveMs = 12_000;

export interface EventStreamOptions {
  /** Returns the id of the event that was sent last, or the id that stands for the beginning of the stream. */
  readonly eventIdOf: () => string;
  /** Whether the reader has taken everything that was written. */
  readonly isTaken: () => boolean;
  /** Formats a failure of the gateway itself, for the last event. */
  readonly resultOf: (failure: unknown) => ExecutionResult;
}

/**
 * Responds with results as they come (GraphQL over SSE, distinct connections mode). Each event has an id, from which its reader
 * can resume (HTML, "Server-sent events", `Last-Event-ID`). An id without an event comes first.
 */
export function eventStreamOf(
  results: AsyncIterable<ExecutionResult>,
  { eventIdOf, isTaken, resultOf }: EventStreamOptions,
  { Response, ReadableStream, TextEncoder }: Pick<FetchAPI, 'Response' | 'ReadableStream' | 'TextEncoder'>,
): Response {
  const encoder = new TextEncoder();
  const iterator = results[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;

  async function end(): Promise<void> {
    clearInterval(timer);
    await iterator.return?.();
  }

  /** Null where there are no more. */
  async function nextEvent(): Promise<string | null> {
    const { done, value } = await iterator.next();
    return done === true ? null : idOf(eventIdOf()) + eventOf(value);
  }

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => controller.enqueue(encoder.encode(text));
      write(`${idOf(eventIdOf())}\n`);
      timer = setInterval(() => {
        // Comments behind unread data keep no connection open, and would queue up for ever.
        if (isTaken()) write(':\n\n');
      }, keepAliveMs);
    },
    async pull(controller) {
      const write = (text: string): void => controller.enqueue(encoder.encode(text));
      let failure = '';
      try {
        const event = await nextEvent();
        if (event !== null) return write(event);
      } catch (error) {
        // A rejection would end the process, and with it all other streams. This event has no id, so that the last id holds.
        failure = eventOf(resultOf(error));
      }
      write(`${failure}event: complete\ndata:\n\n`);
      controller.close();
      await end();
    },
    cancel: end,
  });
  return new Response(body, { headers });
}

function idOf(id: string): string {
  return `id: ${id}\n`;
}

function eventOf(result: ExecutionResult): string {
  return `event: next\ndata: ${JSON.stringify(result)}\n\n`;
}
