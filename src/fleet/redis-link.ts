import { createClient, ErrorReply, RESP_TYPES as respTypes, type RedisClientType } from 'redis';
import {
  stableStoreMs,
  storeBackoffMs,
  storeBytes,
  storeCommands,
  storeConnectMs,
  storePingMs,
  storeWaitMs,
} from '../bounds.ts';
import { TimeoutError, withTimeout } from '../timeout.ts';
import type { StoreFeature, StoreReport } from './store-report.ts';

/** A part of a command. */
export type Part = string | Buffer;

/** A reply, in which texts are buffers; undefined where there was none in time, or an error. */
export type Reply = unknown;

/** Runs for each message of a channel. */
type Listener = (message: Buffer) => void;

// Texts are bytes: what is sealed is no text.
const asBytes = { typeMapping: { [respTypes.BLOB_STRING]: Buffer } };

/**
 * The only place that speaks to Redis: one connection, which is made anew for as long as the link is open. A command that has
 * no reply in time gives the connection up, with all that waits on it. While there is none, commands fail at once.
 */
export class RedisLink {
  readonly #url: string;
  readonly #report: StoreReport;
  readonly #channels = new Map<string, Set<Listener>>();
  readonly #whenUp: (() => void)[] = [];
  /** The connection that takes commands; null while there is none. */
  #client: RedisClientType | null = null;
  #lost = Promise.withResolvers<void>();
  /** Bytes of the commands that wait for their replies. */
  #bytes = 0;
  #isClosed = false;
  #wake = (): void => {};

  constructor(url: string, report: StoreReport) {
    this.#url = url;
    this.#report = report;
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
    const client = this.#client;
    if (client === null) return this.#failed(feature, 'away');
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#bytes + bytes > storeBytes) return this.#failed(feature, 'full');
    this.#bytes += bytes;
    try {
      const reply = await withTimeout(client.sendCommand([...parts], asBytes), waitMs);
      this.#report.count(feature, 'answered');
      return reply;
    } catch (error) {
      if (error instanceof ErrorReply) {
        this.#report.refused(nameOf(error));
        return this.#failed(feature, 'refused');
      }
      this.#lose(client, error);
      return this.#failed(feature, error instanceof TimeoutError ? 'late' : 'away');
    } finally {
      this.#bytes -= bytes;
    }
  }

  /** Listens to a channel, now and after each reconnection; returns the function that ends it. */
  listen(channel: string, listener: Listener): () => void {
    const known = this.#channels.get(channel);
    const listeners = known ?? new Set();
    listeners.add(listener);
    this.#channels.set(channel, listeners);
    if (known === undefined && this.#client !== null) void this.#subscribe(this.#client, [channel]);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#channels.get(channel) !== listeners) return;
      this.#channels.delete(channel);
      this.#client?.unsubscribe(channel).catch(() => {});
    };
  }

  /** Gives what was sent a moment to arrive, and gives up the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#client !== null) await this.send('link', ['PING']);
    this.#wake();
    if (this.#client !== null) this.#lose(this.#client, null);
  }

  async #keepConnected(): Promise<void> {
    for (let failures = 0; !this.#isClosed; failures++) {
      const client = await this.#connect();
      if (client !== null) {
        const since = performance.now();
        await this.#use(client);
        if (performance.now() - since >= stableStoreMs) failures = 0;
      }
      if (!this.#isClosed) await this.#pause(backoff(failures));
    }
  }

  /** A connection that has listened to all channels and answered in time; null where there is none. */
  async #connect(): Promise<RedisClientType | null> {
    const client: RedisClientType = createClient({
      url: this.#url,
      // What waits for a reply is bounded, and nothing waits for a connection.
      commandsQueueMaxLength: storeCommands,
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      disableClientInfo: true,
      socket: { connectTimeout: storeConnectMs, reconnectStrategy: false },
    });
    client.on('error', (error: unknown) => this.#lose(client, error));
    client.unref();
    try {
      await withTimeout(client.connect(), storeConnectMs);
      await withTimeout(this.#subscribe(client, [...this.#channels.keys()]), storeConnectMs);
      await withTimeout(client.sendCommand(['PING']), storeWaitMs);
      if (!this.#isClosed) return client;
    } catch (error) {
      this.#report.down(reasonOf(error));
    }
    client.destroy();
    return null;
  }

  async #use(client: RedisClientType): Promise<void> {
    this.#lost = Promise.withResolvers();
    this.#client = client;
    this.#report.up();
    for (const run of this.#whenUp) run();
    // A connection that nobody uses may be dead as well.
    const ping = setInterval(() => void this.send('link', ['PING']), storePingMs);
    ping.unref();
    await this.#lost.promise;
    clearInterval(ping);
  }

  async #subscribe(client: RedisClientType, channels: readonly string[]): Promise<void> {
    if (channels.length === 0) return;
    try {
      await client.subscribe([...channels], (message, channel) => this.#hear(message, channel.toString()), true);
    } catch (error) {
      // Without messages everything works, a little later.
      if (error instanceof ErrorReply) this.#report.refused(nameOf(error));
      else this.#lose(client, error);
    }
  }

  #hear(message: Buffer, channel: string): void {
    for (const listener of this.#channels.get(channel) ?? []) listener(message);
  }

  #lose(client: RedisClientType, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.destroy();
    if (!this.#isClosed) this.#report.down(reasonOf(error));
    this.#lost.resolve();
  }

  #failed(feature: StoreFeature, outcome: 'away' | 'full' | 'late' | 'refused'): undefined {
    this.#report.count(feature, outcome);
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

/** In milliseconds, with jitter: replicas that lost one store do not all come back at one moment. */
function backoff(failures: number): number {
  const longest = Math.min(storeBackoffMs.longest, storeBackoffMs.first * 2 ** failures);
  return longest / 2 + (longest / 2) * Math.random();
}

const kinds = new Set([
  'OOM',
  'READONLY',
  'WRONGTYPE',
  'NOPERM',
  'NOAUTH',
  'WRONGPASS',
  'MISCONF',
  'LOADING',
  'BUSY',
  'MOVED',
]);

/** The kind of an error reply: its first word, where that is a known one. The rest may quote the command. */
function nameOf({ message }: Error): string {
  const [kind = ''] = message.split(' ', 1);
  return kinds.has(kind) ? kind : 'ERR';
}

/** Why there is no connection, without a word that the store, or its address, could have a part in. */
function reasonOf(error: unknown): string {
  if (error instanceof TimeoutError) return 'late';
  if (error instanceof ErrorReply) return nameOf(error);
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code) ? code : 'closed';
}
