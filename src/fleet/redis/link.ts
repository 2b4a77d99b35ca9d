import { stableStoreMs, storeBytes, storeConnectMs, storePingMs, storeWaitMs } from '../../bounds.ts';
import { TimeoutError, withTimeout } from '../../timeout.ts';
import type { StoreFeature, StoreObserver } from '../store-observer.ts';
import { Channels, type Listener } from './channels.ts';
import { asBytes, backoff, createConnection, limitGreeting, type Connection, type Part } from './connection.ts';
import { reasonOf, refusalIn } from './failure.ts';

/** A reply, in which texts are buffers; undefined where there was none in time, or an error. */
export type Reply = unknown;

/**
 * The link to Redis: one connection, which is made anew for as long as the link is open. A command that has no reply in time gives
 * the connection up, with all that waits on it. While there is none, commands fail at once.
 */
export class RedisLink {
  readonly #url: string;
  readonly #observer: StoreObserver;
  readonly #channels = new Channels();
  readonly #whenUp: (() => void)[] = [];
  /** The connection that takes commands; null while there is none. */
  #connection: Connection | null = null;
  #lost = Promise.withResolvers<void>();
  /** Bytes of the commands that wait for their replies. */
  #bytes = 0;
  #isClosed = false;
  /** One function, so that a channel which is subscribed again is heard once. */
  readonly #hear = (message: Buffer, channel: Buffer): void => this.#channels.hear(message, channel.toString());
  #wake = (): void => {};

  constructor(url: string, observer: StoreObserver) {
    this.#url = url;
    this.#observer = observer;
  }

  /** Begins to connect. The process does not wait for it, and is not kept alive by it. */
  open(): void {
    void this.#keepConnected();
  }

  /** Runs whenever a connection has been made. */
  watchUp(run: () => void): void {
    this.#whenUp.push(run);
  }

  /** Sends a command; undefined without a reply in time. Never throws. */
  async send(feature: StoreFeature, parts: readonly Part[], waitMs = storeWaitMs): Promise<Reply> {
    const connection = this.#connection;
    if (connection === null) return this.#failed(feature, 'away');
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#bytes + bytes > storeBytes) return this.#failed(feature, 'full');
    this.#bytes += bytes;
    try {
      const reply = await withTimeout(connection.sendCommand([...parts], asBytes), waitMs);
      this.#observer.count(feature, 'answered');
      return reply;
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal !== null) {
        this.#observer.refused(refusal);
        return this.#failed(feature, 'refused');
      }
      this.#lose(connection, error);
      return this.#failed(feature, error instanceof TimeoutError ? 'late' : 'away');
    } finally {
      this.#bytes -= bytes;
    }
  }

  /** Listens to a channel, now and after each reconnection; returns the function that ends it. */
  listen(channel: string, listener: Listener): () => void {
    const isFirst = this.#channels.add(channel, listener);
    if (isFirst && this.#connection !== null) void this.#subscribe(this.#connection, [channel]);
    return () => {
      if (this.#channels.remove(channel, listener)) this.#connection?.unsubscribe(channel).catch(() => {});
    };
  }

  /** Gives what was sent a moment to arrive, and gives up the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#connection !== null) await this.send('link', ['PING']);
    this.#wake();
    if (this.#connection !== null) this.#lose(this.#connection, null);
  }

  async #keepConnected(): Promise<void> {
    for (let failures = 0; !this.#isClosed; failures++) {
      const connection = await this.#connect();
      if (connection !== null) {
        const since = performance.now();
        await this.#use(connection);
        if (performance.now() - since >= stableStoreMs) failures = 0;
      }
      if (!this.#isClosed) await this.#pause(backoff(failures));
    }
  }

  /** A connection that has listened to all channels and answered in time; null where there is none. */
  async #connect(): Promise<Connection | null> {
    const connection = createConnection(this.#url, (error) => this.#lose(connection, error));
    const liftLimit = limitGreeting(connection, this.#channels.names.length);
    try {
      await withTimeout(connection.connect(), storeConnectMs);
      await withTimeout(this.#subscribe(connection, this.#channels.names), storeConnectMs);
      await withTimeout(connection.sendCommand(['PING']), storeWaitMs);
      liftLimit();
      if (!this.#isClosed) return connection;
    } catch (error) {
      this.#observer.down(reasonOf(error));
    }
    connection.destroy();
    return null;
  }

  async #use(connection: Connection): Promise<void> {
    this.#lost = Promise.withResolvers();
    this.#connection = connection;
    this.#observer.up();
    // Some may have been added while the connection was made.
    void this.#subscribe(connection, this.#channels.names);
    for (const run of this.#whenUp) run();
    // A connection that nobody uses may be dead as well.
    const ping = setInterval(() => void this.send('link', ['PING']), storePingMs);
    ping.unref();
    await this.#lost.promise;
    clearInterval(ping);
  }

  async #subscribe(connection: Connection, channels: readonly string[]): Promise<void> {
    if (channels.length === 0) return;
    try {
      await connection.subscribe([...channels], this.#hear, true);
    } catch (error) {
      // Without messages everything works, a little later.
      const refusal = refusalIn(error);
      if (refusal !== null) this.#observer.refused(refusal);
      else this.#lose(connection, error);
    }
  }

  #lose(connection: Connection, error: unknown): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    connection.destroy();
    if (!this.#isClosed) this.#observer.down(reasonOf(error));
    this.#lost.resolve();
  }

  #failed(feature: StoreFeature, outcome: 'away' | 'full' | 'late' | 'refused'): undefined {
    this.#observer.count(feature, outcome);
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
