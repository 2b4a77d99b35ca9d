import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionTimeoutError, createClient, ErrorReply, RESP_TYPES as respTypes, type RedisClientType } from 'redis';
import { storeWaitMs } from '../bounds.ts';
import { TimeoutError, withTimeout } from '../cancellation.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Channels, ReportStore } from './shared-store.ts';

/** Milliseconds for a report that is put away, or a message: no request waits for that. */
const storeWriteMs = 1_000;

/** Reports of one caller in the store; one more drops the others. A client pages through one or two at a time. */
export const keptReports = 16;

/** Redis, or what speaks its language, as the store of all replicas. */
export function openRedisStore(url: string, observer: StoreObserver) {
  const link = new RedisLink(url, observer);
  return {
    notices: createChannels(link, 'notices'),
    reports: createReports(link, observer),
    feeds: createChannels(link, 'feeds'),
    close: () => link.close(),
  };
}

/** A key of the store. The braces keep the keys of one name together, should the store ever be cut into slots. */
export function keyOf(kind: string, name: string): string {
  return `switchboard:1:{${name}}:${kind}`;
}

/** Bytes that name the sender of a message, and stand before it. */
const senderBytes = 16;

/** Channels of Redis, which brings each message to its sender as well. */
function createChannels(link: RedisLink, feature: 'notices' | 'feeds'): Channels {
  const sender = randomBytes(senderBytes);
  return {
    send(channel, message) {
      const command = ['PUBLISH', keyOf(feature, channel), Buffer.concat([sender, message])];
      void link.send(feature, command, storeWriteMs);
    },
    watch: (channel, hear) =>
      link.listen(keyOf(feature, channel), (message) => {
        if (!message.subarray(0, senderBytes).equals(sender)) hear(message.subarray(senderBytes));
      }),
  };
}

// It runs in Redis, whole or not at all: KEYS reports · ARGV name sealed keepMs most
const putReportScript = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then
  redis.call('DEL', KEYS[1])
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/** Reports in Redis: a hash for each caller, which goes as a whole where the caller has too many of them. */
function createReports(link: RedisLink, observer: StoreObserver): ReportStore {
  const keyFor = (caller: string): string => keyOf('reports', caller);
  return {
    async get(caller, report) {
      const sealed = await link.send('reports', ['HGET', keyFor(caller), report]);
      return Buffer.isBuffer(sealed) ? sealed : null;
    },
    put(caller, report, sealed, keepMs) {
      const rest = [report, sealed, String(keepMs), String(keptReports)];
      void link.send('reports', ['EVAL', putReportScript, '1', keyFor(caller), ...rest], storeWriteMs);
    },
    drop: (caller, report) =>
      void link.send('reports', report === null ? ['DEL', keyFor(caller)] : ['HDEL', keyFor(caller), report]),
    countUnusable: () => observer.count('reports', 'unusable'),
  };
}

/** Milliseconds to connect to the store. */
export const storeConnectMs = 1_000;

/** Bytes that a store may send until it is connected: Redis sends a kilobyte. */
const storeGreeting = 32_768;

/** Milliseconds between two signs of life of a store that nobody asks. */
const storePingMs = 1_000;

/** Milliseconds before the store is tried again: after the first failure, and after many in a row. */
const storeBackoffMs = { first: 100, longest: 5_000 } as const;

/** Milliseconds that a connection has to hold before an outage counts as over. */
const stableStoreMs = 5_000;

/** Commands that wait for a reply: a store that takes nothing fills no memory. */
const storeCommands = 1_000;

/** Bytes of those commands. */
export const storeBytes = 16_777_216;

/** A part of a command. */
type Part = string | Buffer;

/** One connection to Redis: it is made once, and not again after it is lost. */
type Connection = RedisClientType;

/** For replies: texts are bytes, since what is sealed is no text. */
const asBytes = { typeMapping: { [respTypes.BLOB_STRING]: Buffer } };

/**
 * The link to Redis: one connection, which is made anew for as long as the link is open. The process neither waits for it nor is kept
 * alive by it. A command that has no reply in time gives the connection up, with all that waits on it. While there is none, commands
 * fail at once.
 */
export class RedisLink {
  readonly #url: string;
  readonly #observer: StoreObserver;
  /** Who listens to a channel, whether or not there is a connection. A channel has one listener. */
  readonly #channels = new Map<string, (message: Buffer) => void>();
  readonly #closing = new AbortController();
  /** The connection that takes commands; null while there is none. */
  #connection: Connection | null = null;
  #lost = Promise.withResolvers<void>();
  /** Bytes of the commands that wait for their replies. */
  #bytes = 0;
  /** One function, so that a channel which is subscribed again is heard once. */
  readonly #hear = (message: Buffer, channel: Buffer): void => this.#channels.get(channel.toString())?.(message);

  constructor(url: string, observer: StoreObserver) {
    this.#url = url;
    this.#observer = observer;
    void this.#keepConnected();
  }

  /** Sends a command. Its reply has buffers for texts; undefined without one in time, or for an error. Never throws. */
  async send(feature: StoreFeature, parts: readonly Part[], waitMs = storeWaitMs): Promise<unknown> {
    const connection = this.#connection;
    if (connection === null) return this.#observer.count(feature, 'away');
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#bytes + bytes > storeBytes) return this.#observer.count(feature, 'full');
    this.#bytes += bytes;
    try {
      const reply = await withTimeout(connection.sendCommand([...parts], asBytes), waitMs);
      if (!isPossible(parts[0], reply)) return this.#observer.count(feature, 'unusable');
      this.#observer.count(feature, 'answered');
      return reply;
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal !== null) {
        this.#observer.refused(refusal);
        return this.#observer.count(feature, 'refused');
      }
      this.#lose(connection, error);
      return this.#observer.count(feature, error instanceof TimeoutError ? 'late' : 'away');
    } finally {
      this.#bytes -= bytes;
    }
  }

  /** Listens to a channel, now and after each reconnection; returns the function that ends it. */
  listen(channel: string, listener: (message: Buffer) => void): () => void {
    this.#channels.set(channel, listener);
    if (this.#connection !== null) void this.#subscribe(this.#connection, [channel]);
    return () => {
      if (this.#channels.get(channel) !== listener) return;
      this.#channels.delete(channel);
      this.#connection?.unsubscribe(channel).catch(() => {});
    };
  }

  /** Gives up the connection, with what waits on it. */
  close(): void {
    this.#closing.abort();
    if (this.#connection !== null) this.#lose(this.#connection, null);
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; failures++) {
      const connection = await this.#connect();
      if (connection !== null) {
        const since = performance.now();
        await this.#use(connection);
        if (performance.now() - since >= stableStoreMs) failures = 0;
      }
      await sleep(backoff(failures), null, { ref: false, signal }).catch(() => {});
    }
  }

  /** A connection that has answered in time; null where there is none. */
  async #connect(): Promise<Connection | null> {
    const connection = createConnection(this.#url, (error) => this.#lose(connection, error));
    const liftLimit = limitGreeting(connection);
    const { signal } = this.#closing;
    const giveUp = (): void => connection.destroy();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await withTimeout(connection.connect(), storeConnectMs);
      await withTimeout(connection.sendCommand(['PING']), storeWaitMs);
      liftLimit();
      if (!signal.aborted) return connection;
    } catch (error) {
      if (!signal.aborted) this.#observer.down(reasonOf(error));
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    connection.destroy();
    return null;
  }

  async #use(connection: Connection): Promise<void> {
    this.#lost = Promise.withResolvers();
    this.#connection = connection;
    this.#observer.up();
    void this.#subscribe(connection, [...this.#channels.keys()]);
    // A connection that nobody uses may be dead as well.
    const ping = setInterval(() => void this.send('link', ['PING']), storePingMs).unref();
    await this.#lost.promise;
    clearInterval(ping);
  }

  async #subscribe(connection: Connection, channels: string[]): Promise<void> {
    if (channels.length === 0) return;
    try {
      await connection.subscribe(channels, this.#hear, true);
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
    if (!this.#closing.signal.aborted) this.#observer.down(reasonOf(error));
    this.#lost.resolve();
  }
}

/** A connection that is still to be made. It keeps no process alive; `fail` runs when it is lost. */
function createConnection(url: string, fail: (error: unknown) => void): Connection {
  const connection: Connection = createClient({
    url,
    // What waits for a reply is bounded, and nothing waits for a connection.
    commandsQueueMaxLength: storeCommands,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    disableClientInfo: true,
    socket: { connectTimeout: storeConnectMs, reconnectStrategy: false },
  });
  connection.on('error', fail);
  connection.unref();
  return connection;
}

/**
 * Gives up a connection that sends more than a greeting takes: what waits for its end would fill the memory, or take seconds to read.
 * Returns the function that lifts the limit. The client's own decoder is the only place where all of it comes by.
 */
function limitGreeting(connection: Connection): () => void {
  // It has no public name.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  const { decoder } = connection._getQueue();
  const write = decoder.write.bind(decoder);
  let left = storeGreeting;
  decoder.write = (chunk) => {
    left -= chunk.length;
    if (left < 0) connection.destroy();
    else write(chunk);
  };
  return () => (decoder.write = write);
}

/** The wait before the next attempt, in milliseconds, with jitter: replicas that lost one store do not all come back at one moment. */
function backoff(failures: number): number {
  const longest = Math.min(storeBackoffMs.longest, storeBackoffMs.first * 2 ** failures);
  return longest / 2 + (longest / 2) * Math.random();
}

const kinds = /^(?:OOM|READONLY|WRONGTYPE|NOPERM|NOAUTH|WRONGPASS|MISCONF|LOADING|BUSY|MOVED)$/;

/** The kind of an error that Redis has replied, ERR for one that is not known; null for any other failure. */
function refusalIn(error: unknown): string | null {
  if (!(error instanceof ErrorReply)) return null;
  // Its first word. The rest may quote the command.
  const [kind = ''] = error.message.split(' ', 1);
  return kinds.test(kind) ? kind : 'ERR';
}

/** Whether Redis may reply so: bytes or nothing where something is looked up, PONG to a ping, and numbers to all else. */
function isPossible(command: Part | undefined, reply: unknown): boolean {
  if (command === 'HGET') return reply === null || Buffer.isBuffer(reply);
  return command === 'PING' ? reply === 'PONG' : typeof reply === 'number';
}

/** Why there is no connection, without a word that the store, or its address, could have a part in. */
function reasonOf(error: unknown): string {
  if (error instanceof TimeoutError || error instanceof ConnectionTimeoutError) return 'late';
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return refusalIn(error) ?? (typeof code === 'string' && /^[A-Z\d_]{2,60}$/.test(code) ? code : 'closed');
}

/** Milliseconds without refusals after which the store counts as up again, and the next refusal of a kind as another outage. */
export const refusalsApartMs = 300_000;

/** What a command is for; `link` for the connection itself. */
type StoreFeature = 'notices' | 'reports' | 'feeds' | 'link';

/** How a command ended. `unusable`: the reply was none that a replica has written. */
type StoreOutcome = 'answered' | 'late' | 'refused' | 'away' | 'full' | 'unusable';

/**
 * Learns how the store does, which is away at first: every command is counted, and an outage is logged once, at its beginning and at its
 * end.
 */
export class StoreObserver {
  readonly #metrics: Pick<Metrics, 'countStoreCommand'>;
  readonly #log: Log;
  readonly #now: () => number;
  /** When the last refusal of each kind came. */
  readonly #refusals = new Map<string, number>();
  #isUp = false;
  #isLoggedAway = false;
  #backAgain: NodeJS.Timeout | undefined;

  /** `now` is in milliseconds. */
  constructor(metrics: Pick<Metrics, 'countStoreCommand' | 'watch'>, log: Log, now = () => performance.now()) {
    this.#metrics = metrics;
    this.#log = log;
    this.#now = now;
    // One that is full, or lies, is not there for whoever needs it.
    const isThere = (): boolean => this.#isUp && !this.#refusals.values().some((moment) => this.#isRecent(moment));
    metrics.watch('storeUp', () => [[Number(isThere()), 'redis']]);
  }

  /** Counts how a command ended. What it returns is the reply of one that has none. */
  count(feature: StoreFeature, outcome: StoreOutcome): undefined {
    this.#metrics.countStoreCommand(feature, outcome);
    if (outcome === 'unusable') this.refused('nonsense');
  }

  up(): void {
    this.#isUp = true;
    if (!this.#isLoggedAway) return;
    // A store that comes and goes is one outage.
    this.#backAgain = setTimeout(() => {
      this.#isLoggedAway = false;
      this.#log.info('shared state is back');
    }, stableStoreMs).unref();
  }

  /** `reason` is a word of a closed set. */
  down(reason: string): void {
    this.#isUp = false;
    clearTimeout(this.#backAgain);
    if (this.#isLoggedAway) return;
    this.#isLoggedAway = true;
    this.#log.warn({ reason }, 'shared state is away: this process goes on by itself');
  }

  /** The store has answered with an error of this kind, such as OOM or READONLY; `nonsense`: with what no replica has written. */
  refused(kind: string): void {
    const isNew = !this.#isRecent(this.#refusals.get(kind) ?? -Infinity);
    this.#refusals.set(kind, this.#now());
    if (isNew)
      this.#log.warn({ reason: kind }, 'shared state refuses commands: this process does what they are for by itself');
  }

  #isRecent(moment: number): boolean {
    return this.#now() - moment < refusalsApartMs;
  }
}
