import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that a client may send behind the one that is being answered; one more closes its connection at once. */
export const mostSentAhead = 10;

/**
 * Serves one request of a connection at a time. If others come before it is answered, its response is the last: they get none, and
 * their client may send them again on a new connection (RFC 9112, section 9.3.2). So nothing waits for its turn.
 */
export function oneAtATime(serve: RequestListener): RequestListener {
  const sentAhead = new WeakMap<Socket, number>();
  return (req, res) => {
    const { socket } = req;
    // Node gives a response its socket when that response is the next to be written.
    if (res.socket !== null) return serve(req, res);
    const count = (sentAhead.get(socket) ?? 0) + 1;
    sentAhead.set(socket, count);
    const current = currentResponse(req);
    if (current === null || count > mostSentAhead) return socket.destroy();
    // Neither its head nor its body is kept until then.
    Object.assign(req, { url: '', rawHeaders: [] }).resume();
    current.shouldKeepAlive = false;
    return count === 1 ? current.once('finish', () => socket.destroySoon()) : undefined;
  };
}

/** The response of a request's connection that is to be written next; null where none is. */
export function currentResponse({ socket }: IncomingMessage): ServerResponse | null {
  // Node offers no public name for it.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  return (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}
