import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const lingeringMs = 1_000;

/**
 * Ends the connection after the response where the body was given up in the middle (413). Nobody reads the rest of the body, so
 * no other request could follow.
 */
export function endUnreadBody({ complete, destroyed, socket }: IncomingMessage): void {
  if (!complete && destroyed) end(socket);
}

/** Drops the body of a request that takes none. Unread, its chunks would be kept until the response has been read. */
export function dropUselessBody(req: IncomingMessage): void {
  if (req.method === 'POST') return;
  const { headers } = req;
  if (headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined) req.resume();
}

/** Ends the connection of a request after its response. */
export function closeWhenResponded({ socket }: IncomingMessage, res: ServerResponse): void {
  res.once('finish', () => end(socket));
}

/** Ends a connection, which lingers for a second: closed at once, it might lose the response (RFC 9112, section 9.6). */
function end(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), lingeringMs).unref();
}
