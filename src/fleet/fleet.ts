import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { BodyChunks } from '../body-chunks.ts';
import { longestRetryAfterMs } from '../bounds.ts';
import type { CancelSignal } from '../cancellation.ts';
import type { AppConfig } from '../config.ts';
import type { WebhookDeliveryRecord } from '../generated/records.ts';
import { parseExactly } from '../json.ts';
import { Sleep, type FeedShare, type ShareFeed, type TakeDeliveries } from '../live/feed-share.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Call } from '../upstream/call.ts';
import type { CallerKey } from '../upstream/credential.ts';
import type { SharedReports } from '../upstream/shared-answers.ts';
import type { SharedLimits } from '../upstream/stages/rate-limit.ts';
import {
  type CallerSecrets,
  type Channels,
  createCallerSecrets,
  nameLength,
  type ReportStore,
  type SecretsOf,
} from './shared-store.ts';

/** What this process shares with the others. */
export interface Fleet {
  readonly limits: SharedLimits;
  /** Undefined where reports are not kept. */
  readonly reports: SharedReports | undefined;
  /** Undefined where each process polls for itself. */
  readonly shareFeed: ShareFeed | undefined;
  close(): Promise<void>;
}

/** Opens the shared state that is configured, else that of the workers; null where there is none. Does not wait for the store. */
export async function openFleet(
  config: AppConfig,
  workerNotices: Channels | null,
  metrics: Metrics,
  log: Log,
): Promise<Fleet | null> {
  const { sharedStateUrl, upstreamBaseUrl, reportCacheMs, reportCacheBytes } = config;
  const store = sharedStateUrl === null ? null : await openRedis(sharedStateUrl, metrics, log);
  const notices = store?.notices ?? workerNotices;
  if (notices === null) return null;
  const secretsOf = createCallerSecrets(upstreamBaseUrl);
  const isKeeping = reportCacheMs > 0 && reportCacheBytes > 0;
  return {
    limits: createSharedLimits(notices, secretsOf),
    reports: isKeeping ? createSharedReports(store?.reports ?? null, notices, secretsOf, reportCacheMs) : undefined,
    shareFeed: store === null ? undefined : createFeedSharing(store.feeds, secretsOf),
    close: async () => store?.close(),
  };
}

async function openRedis(url: string, metrics: Metrics, log: Log) {
  // The client is loaded only where it is used.
  const { openRedisStore, StoreObserver } = await import('./redis.ts');
  return openRedisStore(url, new StoreObserver(metrics, log));
}

/** Bytes of a notice: a name and a sealed number or endpoint take a hundred. */
const noticeLength = 1_024;

/**
 * Tells all other processes something about a caller. A notice is the name of what it is about, and a short text that is sealed: only the
 * caller's secrets open it, so nobody else makes one up.
 */
function sendNotice(notices: Channels, channel: string, name: string, sealed: Buffer): void {
  notices.send(channel, Buffer.concat([Buffer.from(name), sealed]));
}

function watchNotices(notices: Channels, channel: string, hear: (name: string, sealed: Buffer) => void): void {
  notices.watch(channel, (message) => {
    if (message.length > noticeLength) return;
    hear(message.toString('latin1', 0, nameLength), Buffer.from(message.subarray(nameLength)));
  });
}

/** Limits of others that a replica remembers: some megabytes. */
const keptNotices = 10_000;

const context = 'limit';

/**
 * The used-up rate limits that other replicas have met. A notice is sealed with its caller's key, so only this caller's calls
 * open it, and a store that makes notices up stops nobody. It tells the moment of the reset by the machines' clocks.
 */
function createSharedLimits(notices: Channels, secretsOf: SecretsOf): SharedLimits {
  /** By the name that the caller's secrets give the limit: what was sealed, or, once it is known, when performance.now() resets it. */
  const limits = new LRUCache<string, Buffer | number>({ max: keptNotices });

  watchNotices(notices, 'limits', (name, sealed) => limits.set(name, sealed));

  function resetIn(caller: CallerKey, sealed: Buffer): number {
    const waitMs = Number(secretsOf(caller).open(context, sealed)?.toString()) - Date.now();
    return waitMs > 0 && waitMs <= longestRetryAfterMs ? performance.now() + waitMs : 0;
  }

  /** Nobody without the key learns of which endpoint a limit is. */
  function nameOf(caller: CallerKey, endpoint: string): string {
    return secretsOf(caller).nameOf(`${context} ${endpoint}`);
  }

  return {
    waitOf(caller, endpoint) {
      // Most of the time nobody is limited, and calls cost nothing here.
      if (limits.size === 0) return 0;
      const name = nameOf(caller, endpoint);
      const limit = limits.get(name);
      if (limit === undefined) return 0;
      const reset = typeof limit === 'number' ? limit : resetIn(caller, limit);
      const waitMs = Math.max(0, reset - performance.now());
      if (waitMs === 0) limits.delete(name);
      else limits.set(name, reset);
      return waitMs;
    },
    tell(caller, endpoint, waitMs) {
      const reset = Buffer.from(String(Math.ceil(Date.now() + waitMs)));
      sendNotice(notices, 'limits', nameOf(caller, endpoint), secretsOf(caller).seal(context, reset));
    },
  };
}

/** Bytes of a report in the store, sealed: it has to come within the time that a request waits for it. */
const sharedReport = 1_048_576;

/** Bytes of a shared report as it was read: rows compress to a tenth, and what is opened has to fit into memory. */
const sharedReportBody = 8_388_608;

/** Shared reports that one worker seals or opens at a time, by threads of its own. Others are not shared, or are read from the API. */
const reportsUnderWay = 8;

/** Milliseconds for which a refusal is believed: they come at once, clocks agree within a second, and nobody may send an old one again. */
export const refusalBelievedMs = 10_000;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const timeBytes = 8;
const endpointLength = 8;

/** A report's name in the store. */
function nameIn(secrets: CallerSecrets, { endpoint, target }: Call<unknown>): string {
  return secrets.nameOf(`endpoint ${endpoint.name}`).slice(0, endpointLength) + secrets.nameOf(`report ${target}`);
}

/**
 * Reports in the store, each compressed, then sealed with its caller's key together with the moment until which it may be kept.
 * Compression shows something of a content by its length only to somebody who can add to that content again and again: a report
 * holds what the API bills its caller for, no text of anybody else. Refusals are shared also where the store takes no reports.
 */
export function createSharedReports(
  reports: ReportStore | null,
  notices: Channels,
  secretsOf: SecretsOf,
  keepMs: number,
): SharedReports {
  let underWay = 0;

  /** Does a piece of work that takes memory and time, unless too much of it is under way. */
  async function within<Value>(act: () => Promise<Value>): Promise<Value | null> {
    if (underWay >= reportsUnderWay) return null;
    underWay++;
    try {
      return await act();
    } catch {
      return null;
    } finally {
      underWay--;
    }
  }

  async function keep(
    caller: CallerKey,
    call: Call<unknown>,
    body: BodyChunks,
    isStillKept: () => boolean,
  ): Promise<void> {
    if (reports === null || body.length > sharedReportBody) return;
    const time = Buffer.alloc(timeBytes);
    time.writeDoubleBE(Date.now() + keepMs);
    const compressed = await within(() => compress(body.whole));
    if (compressed === null || compressed.length > sharedReport || !isStillKept()) return;
    const secrets = secretsOf(caller);
    const storedName = nameIn(secrets, call);
    const sealed = secrets.seal(`report ${storedName}`, Buffer.concat([time, compressed]));
    reports.put(secrets.name, storedName, sealed, keepMs);
  }

  return {
    async find(caller, call) {
      if (reports === null) return null;
      const secrets = secretsOf(caller);
      const storedName = nameIn(secrets, call);
      const sealed = await reports.get(secrets.name, storedName);
      if (sealed === null) return null;
      const opened = sealed.length > 2 * sharedReport ? null : secrets.open(`report ${storedName}`, sealed);
      if (opened === null || opened.length < timeBytes) {
        reports.countUnusable();
        return null;
      }
      // The store may keep it for longer, and clocks differ.
      const leftMs = Math.min(keepMs, opened.readDoubleBE() - Date.now());
      if (!(leftMs > 0)) return null;
      const maxOutputLength = sharedReportBody;
      const body = await within(() => decompress(opened.subarray(timeBytes), { maxOutputLength }));
      return body === null ? null : { body, leftMs };
    },
    keep: (...report) => void keep(...report),
    drop(caller, call) {
      const secrets = secretsOf(caller);
      reports?.drop(secrets.name, nameIn(secrets, call));
    },
    refuse(caller, status, endpoint) {
      const secrets = secretsOf(caller);
      reports?.drop(secrets.name, null);
      const refusal = Buffer.from(`${Date.now()} ${status} ${endpoint}`);
      sendNotice(notices, 'refusals', secrets.name, secrets.seal('refusal', refusal));
    },
    watchRefusals(run) {
      watchNotices(notices, 'refusals', (name, sealed) => {
        const caller = secretsOf.named(name);
        const refusal = caller?.secrets.open('refusal', sealed);
        if (caller === undefined || refusal == null) return;
        const [sentAt, status, ...endpoint] = refusal.toString().split(' ');
        if (Math.abs(Date.now() - Number(sentAt)) >= refusalBelievedMs) return;
        run(caller.identity, status === '401' ? 401 : 403, endpoint.join(' '));
      });
    },
  };
}

/** Bytes of what a poll has found, in one message; where it is more, the other replicas read the list themselves. */
export const feedEntry = 262_144;

/** Signs of life of the replica that polls, in one poll interval. */
const signsPerPoll = 2;

/** So many of them may fail to come before another replica polls: both together take less than two poll intervals. */
const signsMissed = 2.5;

/** Milliseconds between two signs of life: lists that are polled every ten minutes have to be looked after too. */
const feedSignMs = { least: 100, most: 2_500 } as const;

/** What the process that polls a feed tells the others: deliveries, or nothing but that it lives. */
export interface FeedMessage {
  /** Names the sender in this feed. Who has followed it for longer has the smaller name. */
  readonly sender: string;
  /** One more with each message of a sender: none can be left out, or come again, without notice. */
  readonly number: number;
  /** In milliseconds since 1970. */
  readonly sentAt: number;
  /** What the sender has found, the oldest first; null where that did not fit into one message. */
  readonly fresh: readonly WebhookDeliveryRecord[] | null;
}

// Clocks agree within a second or so (docs/operations.md).
const clocksApartMs = 1_000;

/** Shares feeds by messages over a store. */
export function createFeedSharing(store: Channels, secretsOf: SecretsOf): ShareFeed {
  return ({ list, ...caller }, pollMs, take) => new SharedFeed(list, secretsOf(caller), store, pollMs, take);
}

/**
 * One process polls, the others take what it sends. Each process has a window of its own over the list (delivery-window.ts), so
 * it sees what comes twice. It misses nothing either: it follows a sender only from a reading of its own on, which began after it
 * had heard the sender, and only while every message behind that one comes and the sender lives. Else it reads the list again.
 * So whatever the store does may cost calls, but no delivery. Of several that poll, all but the oldest give way.
 */
class SharedFeed implements FeedShare {
  readonly #name: string;
  readonly #secrets: CallerSecrets;
  readonly #store: Channels;
  readonly #take: TakeDeliveries;
  readonly #signMs: number;
  /** Without a message for so long, the sender is gone. */
  readonly #patienceMs: number;
  readonly #sender = `${String(Date.now()).padStart(15, '0')} ${randomUUID()}`;
  readonly #sleep = new Sleep();
  readonly #unwatch: () => void;
  #sent = 0;
  /** Signs of life, while this process polls for all. */
  #signs: NodeJS.Timeout | null = null;
  /** The last message of the process that polls for all; null before the first. */
  #heard: Pick<FeedMessage, 'sender' | 'number'> | null = null;
  #heardAt = -Infinity;
  #isReading = false;
  /** Whether this process has all that was sent until now, once the reading that is under way has ended. */
  #isCovered = false;
  /** What came during that reading. */
  #early: (readonly WebhookDeliveryRecord[])[] = [];
  #isClosed = false;

  constructor(list: string, secrets: CallerSecrets, store: Channels, pollMs: number, take: TakeDeliveries) {
    this.#name = secrets.nameOf(`feed ${list}`);
    this.#secrets = secrets;
    this.#store = store;
    this.#take = take;
    this.#signMs = Math.min(feedSignMs.most, Math.max(feedSignMs.least, pollMs / signsPerPoll));
    this.#patienceMs = this.#signMs * signsMissed;
    this.#unwatch = store.watch(this.#name, (sealed) => this.#hear(sealed));
  }

  async reading(read: () => Promise<readonly WebhookDeliveryRecord[]>): Promise<void> {
    this.#isReading = true;
    this.#isCovered = this.#isFollowed;
    this.#early = [];
    try {
      const fresh = await read();
      this.#isReading = false;
      if (this.#isCovered) for (const rows of this.#early.splice(0)) this.#take(rows);
      else if (!this.#isFollowed && !this.#isClosed) this.#lead(fresh);
    } catch (error) {
      this.#isReading = this.#isCovered = false;
      this.#giveWay();
      throw error;
    }
  }

  async wait(milliseconds: number, signal: CancelSignal, isWanted: () => boolean): Promise<void> {
    const due = performance.now() + milliseconds;
    while (!signal.aborted) {
      const until = this.#isCovered && !isWanted() ? Math.max(due, this.#heardAt + this.#patienceMs) : due;
      const left = until - performance.now();
      if (left <= 0) return;
      await this.#sleep.begin(left, signal);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#giveWay();
    this.#unwatch();
  }

  /** Whether another process polls. */
  get #isFollowed(): boolean {
    return performance.now() - this.#heardAt < this.#patienceMs;
  }

  #lead(fresh: readonly WebhookDeliveryRecord[]): void {
    if (fresh.length > 0 || this.#signs === null) this.#send(fresh);
    this.#signs ??= setInterval(() => this.#send([]), this.#signMs).unref();
  }

  #giveWay(): void {
    clearInterval(this.#signs ?? undefined);
    this.#signs = null;
  }

  #send(fresh: readonly WebhookDeliveryRecord[]): void {
    const message = { sender: this.#sender, number: ++this.#sent, sentAt: Date.now(), fresh };
    this.#store.send(this.#name, sealMessage(this.#secrets, this.#name, message));
  }

  #hear(sealed: Buffer): void {
    const message = openMessage(this.#secrets, this.#name, sealed);
    if (message === null || !this.#isBelieved(message)) return;
    const { sender, number, fresh } = message;
    const isNext = this.#heard?.sender === sender && this.#heard.number + 1 === number;
    this.#heard = { sender, number };
    this.#heardAt = performance.now();
    this.#giveWay();
    this.#isCovered &&= isNext && fresh !== null;
    if (this.#isCovered && this.#isReading) this.#early.push(fresh ?? []);
    else if (this.#isCovered && fresh !== null && fresh.length > 0) this.#take(fresh);
    this.#sleep.wake();
  }

  /** Whether a message is a new one of the process that polls, or of an older one that polls as well. */
  #isBelieved({ sender, number, sentAt }: FeedMessage): boolean {
    if (Math.abs(Date.now() - sentAt) > this.#patienceMs + clocksApartMs) return false;
    if (sender === this.#heard?.sender) return number > this.#heard.number;
    return sender < (this.#isFollowed && this.#heard !== null ? this.#heard.sender : this.#sender);
  }
}

/**
 * A message is sealed for its feed. It is not compressed: its length would show something of what stands beside a text that anybody
 * can choose, such as that of a delivery.
 */
export function sealMessage(secrets: CallerSecrets, feed: string, message: FeedMessage): Buffer {
  return secrets.seal(contextOf(feed), textOf(message) ?? Buffer.from(JSON.stringify({ ...message, fresh: null })));
}

/** Null where it is too long, or too deep for JSON.stringify. Numbers beyond a double are printed digit for digit. */
function textOf(message: FeedMessage): Buffer | null {
  try {
    const text = Buffer.from(JSON.stringify(message));
    return text.length > feedEntry ? null : text;
  } catch {
    return null;
  }
}

/** Null for what is no message of this feed. */
export function openMessage(secrets: CallerSecrets, feed: string, sealed: Buffer): FeedMessage | null {
  const text = sealed.length > 2 * feedEntry ? null : secrets.open(contextOf(feed), sealed);
  return text === null ? null : (parseExactly(text.toString('utf8')) as FeedMessage);
}

function contextOf(feed: string): string {
  return `feed ${feed}`;
}
