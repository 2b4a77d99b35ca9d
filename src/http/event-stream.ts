import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  // Some proxies hold an answer back until it is whole.
  'x-accel-buffering': 'no',
};
// Proxies and clients give up on a connection on which nothing comes for a minute or so.
const keepAliveMs = 12_000;

/**
 * Answers with results as they come (GraphQL over SSE, distinct connections mode), each with the id that it then has by
 * `eventIdOf`, from which its reader may go on (HTML, "Server-sent events", `Last-Event-ID`). An id without an event comes first.
 */
export function eventStreamOf(
  results: AsyncIterable<ExecutionResult>,
  eventIdOf: () => string,
  { Response, ReadableStream, TextEncoder }: Pick<FetchAPI, 'Response' | 'ReadableStream' | 'TextEncoder'>,
): Response {
  const encoder = new TextEncoder();
  const iterator = results[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => controller.enqueue(encoder.encode(text));
      write(`id: ${eventIdOf()}\n\n`);
      timer = setInterval(() => {
        // Who does not read is not to be sent more.
        if ((controller.desiredSize ?? 0) > 0) write(':\n\n');
      }, keepAliveMs);
    },
    async pull(controller) {
      const { done, value } = await iterator.next().catch((error: unknown) => {
        clearInterval(timer);
        throw error;
      });
      const event = done === true ? 'event: complete\ndata:\n\n' : eventOf(value, eventIdOf());
      controller.enqueue(encoder.encode(event));
      if (done !== true) return;
      clearInterval(timer);
      controller.close();
    },
    async cancel() {
      clearInterval(timer);
      await iterator.return?.();
    },
  });
  return new Response(body, { headers });
}

function eventOf(result: ExecutionResult, id: string): string {
  return `id: ${id}\nevent: next\ndata: ${JSON.stringify(result)}\n\n`;
}
