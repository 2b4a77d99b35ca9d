import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { BodyChunks } from '../body-chunks.ts';
import { longestRetryAfterMs } from '../bounds.ts';
import type { AppConfig } from '../config.ts';
import type { ShareFeed } from '../live/feed-share.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Call } from '../upstream/call.ts';
import type { CallerKey } from '../upstream/credential.ts';
import type { SharedReports } from '../upstream/client.ts';
import type { SharedLimits } from '../upstream/stages/rate-limit.ts';
import { createFeedSharing } from './shared-feed.ts';
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
  close(): void;
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
    close: () => store?.close(),
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
  /** By the name that the caller's secrets give the limit: the moment of its reset, sealed. */
  const limits = new LRUCache<string, Buffer>({ max: keptNotices });

  watchNotices(notices, 'limits', (name, sealed) => limits.set(name, sealed));

  /** Nobody without the key learns of which endpoint a limit is. */
  function nameOf(caller: CallerKey, endpoint: string): string {
    return secretsOf(caller).nameOf(`${context} ${endpoint}`);
  }

  return {
    waitOf(caller, endpoint) {
      // Most of the time nobody is limited, and calls cost nothing here.
      if (limits.size === 0) return 0;
      const name = nameOf(caller, endpoint);
      const sealed = limits.get(name);
      if (sealed === undefined) return 0;
      const waitMs = Number(secretsOf(caller).open(context, sealed)?.toString()) - Date.now();
      if (waitMs > 0 && waitMs <= longestRetryAfterMs) return waitMs;
      limits.delete(name);
      return 0;
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
