import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { pipelinedOfAll, pipelinedOfConnection } from '../../bounds.ts';

/**
 * Serves the requests of a connection one after another. A response to a request that was sent ahead (RFC 9112, section 9.3.2)
 * would otherwise be made before it can be sent, and wait in memory. A connection with too many such requests is closed.
 */
export function oneAtATime(serve: RequestListener): RequestListener {
  const waiting = new Map<Socket, number>();
  let total = 0;

  function count(socket: Socket): number {
    const before = waiting.get(socket);
    if (before === undefined)
      socket.once('close', () => {
        total -= waiting.get(socket) ?? 0;
        waiting.delete(socket);
      });
    const now = (before ?? 0) + 1;
    waiting.set(socket, now);
    total += 1;
    return now;
  }

  return (req, res) => {
    const { socket } = req;
    // Node gives a response its socket when that response is the next to be written.
    if (res.socket !== null) return serve(req, res);
    if (socket.destroyed) return undefined;
    if (count(socket) > pipelinedOfConnection || total > pipelinedOfAll) return socket.destroy();
    return res.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 0) - 1);
      total -= 1;
      // A tick between two requests lets other connections be served.
      setImmediate(() => res.closed || serve(req, res));
    });
  };
}
