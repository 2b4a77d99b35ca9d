import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { BodyChunks } from '../../body-chunks.ts';

/** Requests that wait on one connection behind the one that is served: clients that send ahead have some ten under way. */
export const pipelinedOfConnection = 100;

/** The same on all connections together: a request that waits takes two kilobytes, and up to sixteen for its headers. */
export const pipelinedOfAll = 2_000;

/**
 * Serves the requests of a connection one after another. A response to a request that was sent ahead (RFC 9112, section 9.3.2)
 * would otherwise be made before it can be sent, and wait in memory. A connection with too many such requests is closed. Where all
 * connections together have too many, it is the one with most of them, so that a few connections do not shut out the others. A worker
 * has its part of what the process may have.
 */
export function oneAtATime(serve: RequestListener, workers = 1): RequestListener {
  const mostOfAll = Math.max(pipelinedOfConnection, pipelinedOfAll / workers);
  const waiting = new Map<Socket, number>();
  let total = 0;

  function forget(socket: Socket): void {
    total -= waiting.get(socket) ?? 0;
    waiting.delete(socket);
  }

  function count(socket: Socket): number {
    const before = waiting.get(socket);
    if (before === undefined) socket.once('close', () => forget(socket));
    const now = (before ?? 0) + 1;
    waiting.set(socket, now);
    total += 1;
    return now;
  }

  function close(socket: Socket): void {
    // It has ended some ticks later, and others count meanwhile.
    forget(socket);
    socket.destroy();
  }

  function withMost(): Socket | null {
    let most: Socket | null = null;
    for (const [socket, length] of waiting) if (most === null || length > (waiting.get(most) ?? 0)) most = socket;
    return most;
  }

  return (req, res) => {
    const { socket } = req;
    // Node gives a response its socket when that response is the next to be written.
    if (res.socket !== null) return serve(req, res);
    if (socket.destroyed) return undefined;
    const ahead = count(socket);
    if (ahead > pipelinedOfConnection) return close(socket);
    if (total > mostOfAll) close(withMost() ?? socket);
    if (socket.destroyed) return undefined;
    const handOver = keepWaitingBody(req);
    return res.once('socket', () => {
      const before = waiting.get(socket);
      if (before === undefined) return;
      waiting.set(socket, before - 1);
      total -= 1;
      // A tick between two requests lets other connections be served.
      setImmediate(() => {
        if (res.closed) return;
        handOver();
        serve(req, res);
      });
    });
  };
}

/**
 * Keeps what comes of the body of a request that waits, until the returned function hands it to the request. Node would keep each
 * chunk apart, two hundred bytes for one, and a waiting body may come in chunks of a byte.
 */
function keepWaitingBody(req: IncomingMessage): () => void {
  const chunks = new BodyChunks();
  let held = 0;

  function handOver(): void {
    Reflect.deleteProperty(req, 'push');
    for (const chunk of chunks.all) req.push(chunk);
  }

  // Node pushes each chunk when it has come, then null, and stops reading the connection when it hears that this is enough.
  req.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) {
      handOver();
      return req.push(null);
    }
    chunks.add(chunk);
    held += chunk.length;
    return held < req.readableHighWaterMark;
  };
  return () => {
    if (Object.hasOwn(req, 'push')) handOver();
  };
}
