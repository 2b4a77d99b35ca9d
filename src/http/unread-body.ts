import type { IncomingMessage, ServerResponse } from 'node:http';

const lingeringMs = 1_000;

/**
 * Ends a connection whose request was given up in the middle of its body (413): nobody reads the rest, so that no other
 * request could follow. It lingers for a second: closed at once, it might take the answer with it (RFC 9112, section 9.6).
 */
export function endUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  res.once('finish', () => {
    if (req.complete || !req.destroyed) return;
    socket.end();
    setTimeout(() => socket.destroy(), lingeringMs).unref();
  });
}
