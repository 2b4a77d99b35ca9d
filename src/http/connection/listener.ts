import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as SocketServer, type AddressInfo } from 'node:net';
import { setImmediate as nextImmediate, setTimeout as sleep } from 'node:timers/promises';
import { oneAtATime } from './pipelining.ts';
import { closeStalledReaders } from './stalled-readers.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The longest that a client may take to send its headers, and all of its request, in milliseconds. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** The longest that a client may take nothing of what waits for it, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** Told of each client whose connection was closed for that. */
  readonly countStalled: () => void;
  /** Called when what is under way cannot be waited for any longer. */
  readonly giveUp: () => void;
}

/** The process's door: where clients come in, and how it is shut without losing one of them. */
export interface Listener {
  /** Where it listens, e.g. `http://127.0.0.1:4000`. */
  readonly url: string;
  /** False from the moment when it begins to stop. */
  isReady(): boolean;
  /**
   * Turns readiness off half a second before it stops accepting. Meanwhile all that comes is answered, and every kept
   * connection ends with its next answer, so that `close` finds no connection in use that it would have to end.
   */
  retire(): Promise<void>;
  /** Stops accepting and lets what is under way finish: given up after 8.5 seconds, cut off after 9. */
  close(): Promise<void>;
}

const retiringMs = 500;
// Who connected at the last moment gets to say what for.
const speakingMs = 50;
const longestWaitMs = 8_500;
const longestStopMs = 9_000;
// How often connections are looked through for those that send too slowly.
const slownessCheckMs = 250;
const sweepMs = 50;

/** Listens. Rejects where the address cannot be used. */
export async function listen(handle: RequestListener, options: ListenerOptions): Promise<Listener> {
  let isReady = true;
  const { headersTimeoutMs, requestTimeoutMs: requestTimeout, stallTimeoutMs, countStalled, giveUp } = options;
  const slowness = {
    headersTimeout: Math.min(headersTimeoutMs, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: slownessCheckMs,
  };
  const serve: RequestListener = (req, res) => {
    // While stopping, a kept connection ends with the answer that it is waiting for.
    if (!isReady) res.shouldKeepAlive = false;
    handle(req, res);
  };
  const server = createServer(slowness, oneAtATime(serve));
  const readers = closeStalledReaders(server, stallTimeoutMs, countStalled);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  let accepting: Promise<void> | undefined;
  // The HTTP server's own close() would reset connections that have not spoken yet.
  const stopAccepting = (): Promise<void> =>
    (accepting ??= new Promise((resolve) => SocketServer.prototype.close.call(server, () => resolve())));

  return {
    url: urlOf(server),
    isReady: () => isReady,
    async retire() {
      isReady = false;
      await sleep(retiringMs);
      // Right behind the event loop's poll for connections: one that arrived since would be reset.
      await nextImmediate();
      void stopAccepting();
      await sleep(speakingMs);
    },
    async close() {
      isReady = false;
      const closed = stopAccepting();
      const closeIdle = (): void => {
        // Node takes a connection for idle whose answer has been written, and not yet been read.
        if (readers.haveTakenAll()) server.closeIdleConnections();
      };
      // What is idle would otherwise be waited for until its keep-alive ends.
      const sweep = setInterval(closeIdle, sweepMs);
      const patience = setTimeout(giveUp, longestWaitMs);
      const deadline = setTimeout(() => server.closeAllConnections(), longestStopMs);
      closeIdle();
      await closed;
      // Ends the timer that looks for slow senders.
      server.close();
      readers.leave();
      clearInterval(sweep);
      clearTimeout(patience);
      clearTimeout(deadline);
    },
  };
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
