import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const lingeringMs = 1_000;

/**
 * Ends a connection once its request is answered whose body was given up in the middle (413): nobody reads the rest, so that no
 * other request could follow.
 */
export function endUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  res.once('finish', () => {
    if (!req.complete && req.destroyed) end(req.socket);
  });
}

/** The same, by whoever gives it up. */
export function closeWhenAnswered({ socket }: IncomingMessage, res: ServerResponse): void {
  res.once('finish', () => end(socket));
}

/** It lingers for a second: closed at once, it might take the answer with it (RFC 9112, section 9.6). */
function end(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), lingeringMs).unref();
}
