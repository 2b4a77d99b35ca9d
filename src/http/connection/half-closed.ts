import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The part of Node's connection that is read here: its response that is to be written next. Nothing of it is changed. */
interface Connection extends Socket {
  readonly _httpMessage: ServerResponse | null;
}

const firstWaitMs = 50;

/**
 * Answers clients that end their side of the connection behind a request, as `nc` does. Node would close the connection at once. A
 * client that has left looks the same, until its system refuses what is written: so an informational response (100, which every client
 * of HTTP/1.1 takes) is sent now and then until the real one, or until it is refused, and then the request ends as ever. A response that
 * has begun ends with its client.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Connection) => {
    socket.once('end', () => {
      // Node offers no public name for it.
      // oxlint-disable-next-line eslint/no-underscore-dangle
      const response = socket._httpMessage;
      if (response?.headersSent === true) socket.end();
      else if (response?.req.httpVersion === '1.1') ask(response, firstWaitMs);
    });
  });
}

/** Asks whether a client is still there. The refusal of one text shows when the next one is written, each after twice the time. */
function ask(response: ServerResponse, waitMs: number): void {
  if (response.headersSent || response.closed) return;
  response.writeContinue();
  setTimeout(() => ask(response, 2 * waitMs), waitMs).unref();
}
