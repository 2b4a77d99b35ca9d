import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as SocketServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { notedResponses, type Readers } from './stalled-readers.ts';
import type { AppConfig } from '../../config.ts';
import { cutOffMs } from '../../bounds.ts';

/** The first milliseconds of a stop, in which new connections are still served: a load balancer may not know yet. */
const retiringMs = 500;

/** Milliseconds for a client that connected at the last moment to send its request. */
const lastRequestMs = 50;

/** Milliseconds from the beginning of the stop after which requests under way are given up: they end with an error. */
const giveUpMs = 8_500;

/** What all ports share. */
interface ListenerOptions {
  readonly config: Pick<
    AppConfig,
    'host' | 'requestHeadersTimeoutMs' | 'requestTimeoutMs' | 'upstreamMaxConcurrency' | 'workerCount'
  >;
  readonly readers: Readers;
  /** Called for each connection that is closed at once since too many are open, with how many may be. */
  readonly countRefused: (most: number) => void;
  /** Called when requests under way cannot be waited for any longer. */
  readonly giveUp: () => void;
}

/** A port, and what it serves. */
export interface Port {
  /** 0 lets the system choose. */
  readonly port: number;
  /** The variable that has chosen the port. */
  readonly portVariable: 'PORT' | 'ADMIN_PORT';
  readonly handle: RequestListener;
  /** Takes connections over for another protocol; null: every request is one of HTTP. */
  readonly upgrades: Upgrades | null;
}

/** The connections that another protocol takes over (RFC 9110, section 7.8). */
export interface Upgrades {
  /** Whether a request is such an upgrade. Any other request is served as HTTP, whatever it offers. */
  accepts(req: IncomingMessage): boolean;
  /** Takes a connection over, with the first bytes that came behind the request. */
  take(req: IncomingMessage, connection: Duplex, head: Buffer): void;
}

/** An address cannot be listened on: the message names the variable at fault, and the port or the host. */
function addressError(host: string, { port, portVariable }: Port, cause: NodeJS.ErrnoException): Error {
  const { code = 'unknown' } = cause;
  const isUsed = code === 'EADDRINUSE';
  const message =
    isUsed || code === 'EACCES'
      ? `${portVariable} ${port} on HOST ${host} ${isUsed ? 'is in use by another process' : 'may not be listened on by this user'} (${code})`
      : `HOST ${host} is no address that can be listened on (${code}), with ${portVariable} ${port}`;
  return new Error(message, { cause });
}

// How often connections are checked for slow senders.
const slowSenderCheckMs = 250;

// Between the two looks at an idle connection.
const lastLookMs = 1_000;

const idleCheckMs = 50;

/** Requests that a client may send behind the one that is being answered; one more closes its connection at once. */
export const mostSentAhead = 10;

/** Listens on all ports or on none. Rejects with an error that names every port that cannot be used. */
export async function listenOn(ports: readonly Port[], options: ListenerOptions): Promise<readonly Listener[]> {
  const listeners = ports.map((port) => new Listener(port, options));
  const opened = await Promise.allSettled(listeners.map((listener) => listener.listen()));
  const failures = opened.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  if (failures.length === 0) return listeners;
  await Promise.all(listeners.map((listener) => listener.cutOff()));
  throw new Error(failures.map(({ message }) => message).join('; '), { cause: failures[0] });
}

/** Accepts the connections of clients, and stops without losing one of them. */
export class Listener {
  readonly #port: Port;
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #sentAhead = new WeakMap<Socket, number>();
  #isReady = true;
  #stopped: Promise<void> | null = null;

  constructor(port: Port, options: ListenerOptions) {
    const { upgrades } = port;
    const { config, readers, countRefused } = options;
    this.#port = port;
    this.#options = options;
    this.#server = createServer({
      headersTimeout: Math.min(config.requestHeadersTimeoutMs, config.requestTimeoutMs),
      requestTimeout: config.requestTimeoutMs,
      connectionsCheckingInterval: slowSenderCheckMs,
      // Node's own second of patience is a look of ours.
      keepAliveTimeoutBuffer: 0,
      joinDuplicateHeaders: true,
      ServerResponse: notedResponses(readers),
      // Behind another response it would be written into the other protocol.
      shouldUpgradeCallback: (req) => upgrades !== null && currentResponse(req) === null && upgrades.accepts(req),
    });
    if (upgrades !== null) this.#server.on('upgrade', (req, connection, head) => upgrades.take(req, connection, head));
    this.#server.on('request', (req, res) => this.#serve(req, res));
    closeIdleLater(this.#server);
    refuseBeyond(this.#server, mostConnections(config.upstreamMaxConcurrency), countRefused);
    readers.watch(this.#server);
  }

  /** Rejects where the address cannot be used. */
  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { host, workerCount } = this.#options.config;
      this.#server.once('error', (cause) => reject(addressError(host, this.#port, cause)));
      // Node gives all workers one free port, unless it is asked for one of their own.
      this.#server.listen({ port: this.#port.port, host, exclusive: workerCount === undefined }, resolve);
    });
  }

  /** The address, e.g. `http://127.0.0.1:4000`. */
  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** False from the moment when the listener begins to stop. */
  isReady(): boolean {
    return this.#isReady;
  }

  /**
   * Turns readiness off half a second before it stops accepting. Requests of that time are still served. Each kept connection
   * ends with its next response, so that `close` does not have to end a connection in use.
   */
  async retire(): Promise<void> {
    this.#isReady = false;
    await sleep(retiringMs);
    // The tick follows the event loop's poll for connections. A connection that arrived since then would be reset.
    await nextTick();
    void this.#stopAccepting();
    await sleep(lastRequestMs);
  }

  /** Stops accepting and waits for requests under way: gives them up after 8.5 seconds, and cuts them off after 9. */
  async close(): Promise<void> {
    this.#isReady = false;
    const closed = this.#stopAccepting();
    const timers = [
      setInterval(() => this.#closeIdle(), idleCheckMs),
      setTimeout(this.#options.giveUp, giveUpMs),
      setTimeout(() => this.#server.closeAllConnections(), cutOffMs),
    ];
    this.#closeIdle();
    await closed;
    // Ends the timer that looks for slow senders.
    this.#server.close();
    this.#options.readers.stop();
    for (const timer of timers) clearTimeout(timer);
  }

  /** How many connections are open, those of streams and WebSockets included. */
  connections(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_error, count) => resolve(count)));
  }

  /** Ends at once, with all of its connections. */
  cutOff(): Promise<void> {
    const closed = this.close();
    this.#server.closeAllConnections();
    return closed;
  }

  /** Resolves when all connections have ended. The HTTP server's own close() would reset connections without a request. */
  #stopAccepting(): Promise<void> {
    return (this.#stopped ??= new Promise((resolve) =>
      SocketServer.prototype.close.call(this.#server, () => resolve()),
    ));
  }

  /** Without this, idle connections would stay until their keep-alive ends. */
  #closeIdle(): void {
    // Node calls a connection idle when its response is written, even while that waits for its reader.
    if (this.#options.readers.haveTakenAll) this.#server.closeIdleConnections();
  }

  /**
   * Serves one request of a connection at a time. If others come before it is answered, its response is the last: they get none, and
   * their client may send them again on a new connection (RFC 9112, section 9.3.2). So nothing waits for its turn.
   */
  #serve(req: IncomingMessage, res: ServerResponse & { readonly req: IncomingMessage }): unknown {
    // While stopping, a kept connection ends with the response that its client waits for.
    if (!this.#isReady) res.shouldKeepAlive = false;
    // Node gives a response its socket when that response is the next to be written.
    if (res.socket !== null) return this.#port.handle(req, res);
    const { socket } = req;
    const count = (this.#sentAhead.get(socket) ?? 0) + 1;
    this.#sentAhead.set(socket, count);
    const current = currentResponse(req);
    if (current === null || count > mostSentAhead) return socket.destroy();
    // Neither its head nor its body is kept until then.
    Object.assign(req, { url: '', rawHeaders: [] }).resume();
    current.shouldKeepAlive = false;
    return count === 1 ? current.once('finish', () => socket.destroySoon()) : undefined;
  }
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

// Descriptors of the process beside those of connections and calls: files, Redis, a collector, workers.
const ownDescriptors = 200;

/** As many connections as leave descriptors for calls to the API; half of all where that would be fewer. */
function mostConnections(calls: number): number {
  // Node has raised its limit to the hard one by now. Other systems than Linux have no such file.
  const limits = existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : '';
  const limit = Number(/Max open files +(\d+)/.exec(limits)?.[1] ?? Infinity);
  return Math.max(limit - calls - ownDescriptors, Math.floor(limit / 2));
}

/** The response of a request's connection that is to be written next; null where none is. */
function currentResponse({ socket }: IncomingMessage): ServerResponse | null {
  // Node offers no public name for it.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  return (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}

/** Without this, the system would close what it has no descriptor for, and nobody would hear of it. */
function refuseBeyond(server: Server, most: number, count: ListenerOptions['countRefused']): void {
  server.maxConnections = most;
  // A worker would otherwise hand the connection on to the next, which may be as full.
  Object.assign(server, { dropMaxConnection: true });
  server.on('drop', () => count(most));
}
