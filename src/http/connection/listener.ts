import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dropUselessBody } from '../request/body-reader.ts';
import { answerHalfClosed } from './half-closed.ts';
import { oneAtATime } from './pipelining.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';
import { closeStalledReaders } from './stalled-readers.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The variable that has chosen the port. */
  readonly portVariable: 'PORT' | 'ADMIN_PORT';
  /** The longest time in which a client must send its headers, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** The longest time in which a client must send its whole request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** The longest time for which a client may take nothing of the data that wait for it, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** Called for each client whose connection was closed for that. */
  readonly countStalled: () => void;
  /** Called when requests under way cannot be waited for any longer. */
  readonly giveUp: () => void;
}

/** Accepts the connections of clients, and stops without losing one of them. */
export interface Listener extends Shutdown {
  /** The address, e.g. `http://127.0.0.1:4000`. */
  readonly url: string;
  /** False from the moment when the listener begins to stop. */
  isReady(): boolean;
  /**
   * Turns readiness off half a second before it stops accepting. Requests of that time are still served. Each kept connection
   * ends with its next response, so that `close` does not have to end a connection in use.
   */
  retire(): Promise<void>;
  /** Ends at once, with all of its connections. */
  cutOff(): Promise<void>;
}

/** An address that cannot be listened on. Its message names the variable at fault, and the port or the host. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

function addressError({ host, port, portVariable }: ListenerOptions, cause: NodeJS.ErrnoException): AddressError {
  const { code = 'unknown' } = cause;
  const fault = portFaults.get(code);
  const message =
    fault === undefined
      ? `HOST ${host} is no address that can be listened on (${code}), with ${portVariable} ${port}`
      : `${portVariable} ${port} on HOST ${host} ${fault} (${code})`;
  return new AddressError(message, { cause });
}

const portFaults: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'is in use by another process'],
  ['EACCES', 'may not be listened on by this user'],
]);

// How often connections are checked for slow senders.
const slowSenderCheckMs = 250;

// Between the two looks at an idle connection.
const lastLookMs = 1_000;

/** Listens for requests. Rejects with an AddressError where the address cannot be used. */
export async function listen(handle: RequestListener, options: ListenerOptions): Promise<Listener> {
  const { stallTimeoutMs, countStalled, giveUp } = options;
  let isReady = true;
  const serve: RequestListener = (req, res) => {
    // While stopping, a kept connection ends with the response that its client waits for.
    if (!isReady) res.shouldKeepAlive = false;
    dropUselessBody(req);
    handle(req, res);
  };
  const server = createServer(senderLimits(options), oneAtATime(serve));
  answerHalfClosed(server);
  closeIdleLater(server);
  const readers = closeStalledReaders(server, stallTimeoutMs, countStalled);
  await bind(server, options);
  const shutdown = createShutdown(server, readers, giveUp);
  return {
    url: urlOf(server),
    isReady: () => isReady,
    retire() {
      isReady = false;
      return shutdown.retire();
    },
    close() {
      isReady = false;
      return shutdown.close();
    },
    cutOff() {
      isReady = false;
      const closed = shutdown.close();
      server.closeAllConnections();
      return closed;
    },
  };
}

/**
 * Closes a connection that has been idle for Node's five seconds when it still is a second later. Its client may have sent the next
 * request in time, to a process that was busy, or stood still: the request is read between the two looks.
 */
function closeIdleLater(server: Server): void {
  server.on('timeout', (socket) => {
    if (socket.timeout === lastLookMs) socket.destroy();
    else socket.setTimeout(lastLookMs);
  });
}

function senderLimits({ headersTimeoutMs, requestTimeoutMs }: ListenerOptions): ServerOptions {
  return {
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: slowSenderCheckMs,
    // Node's own second of patience is a look of ours.
    keepAliveTimeoutBuffer: 0,
  };
}

function bind(server: Server, options: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(addressError(options, cause)));
    server.listen({ port: options.port, host: options.host }, resolve);
  });
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
