import type { Server } from 'node:http';
import { Server as SocketServer } from 'node:net';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { cutOffMs, giveUpMs, lastRequestMs, retiringMs } from '../../bounds.ts';
import type { StallWatch } from './stalled-readers.ts';

/** How a server stops without losing a client. */
export interface Shutdown {
  /** Stops accepting after half a second, in which new connections are still served. */
  retire(): Promise<void>;
  /** Stops accepting and waits for requests under way: gives them up after 8.5 seconds, and cuts them off after 9. */
  close(): Promise<void>;
}

const idleCheckMs = 50;

/** Creates the shutdown of a server; `giveUp` is called when requests under way cannot be waited for any longer. */
export function createShutdown(server: Server, readers: StallWatch, giveUp: () => void): Shutdown {
  let stopped: Promise<void> | null = null;

  /** Resolves when all connections have ended. The HTTP server's own close() would reset connections without a request. */
  function stopAccepting(): Promise<void> {
    stopped ??= new Promise((resolve) => SocketServer.prototype.close.call(server, () => resolve()));
    return stopped;
  }

  /** Without this, idle connections would stay until their keep-alive ends. */
  function closeIdle(): void {
    // Node calls a connection idle when its response is written, even while that waits for its reader.
    if (readers.haveTakenAll()) server.closeIdleConnections();
  }

  return {
    async retire() {
      await sleep(retiringMs);
      // The tick follows the event loop's poll for connections. A connection that arrived since then would be reset.
      await nextTick();
      void stopAccepting();
      await sleep(lastRequestMs);
    },
    async close() {
      const closed = stopAccepting();
      const idleCheck = setInterval(closeIdle, idleCheckMs);
      const waiting = setTimeout(giveUp, giveUpMs);
      const cutOff = setTimeout(() => server.closeAllConnections(), cutOffMs);
      closeIdle();
      await closed;
      // Ends the timer that looks for slow senders.
      server.close();
      readers.stop();
      clearInterval(idleCheck);
      clearTimeout(waiting);
      clearTimeout(cutOff);
    },
  };
}
