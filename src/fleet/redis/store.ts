import { hash, randomUUID } from 'node:crypto';
import { feedEntries, keptNotices, keptReports, leastStreamMs, noticeLength, storeWriteMs } from '../../bounds.ts';
import {
  noticeIn,
  tokenLength,
  type FeedEntry,
  type FeedLook,
  type FeedStore,
  type Notice,
  type Notices,
  type ReportStore,
  type SharedStore,
} from '../shared-store.ts';
import type { StoreObserver } from '../store-observer.ts';
import { RedisLink, type Reply } from './link.ts';

/** The name of this store in the metrics. */
export const storeName = 'redis';

/** Redis, or what speaks its language, as the store of all replicas in front of one API; the scope names that API. */
export function openRedisStore(url: string, scope: string, observer: StoreObserver): SharedStore {
  const link = new RedisLink(url, observer);
  const notices = createNotices(link, scope, observer);
  // Now that its channels are known.
  link.open();
  return {
    notices,
    reports: createReports(link),
    feeds: createFeeds(link, observer),
    close: () => link.close(),
  };
}

/** A key of the store. The braces keep the keys of one name together, should the store ever be cut into slots. */
export function keyOf(kind: string, name: string): string {
  return `switchboard:1:{${name}}:${kind}`;
}

// Scripts run in Redis, each whole or not at all. A script has its keys first, then its arguments.

// KEYS times notices · ARGV name notice keepMs most channel message
const keepNoticeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function forget(names)
  for _, name in ipairs(names) do
    redis.call('ZREM', KEYS[1], name)
    redis.call('HDEL', KEYS[2], name)
  end
end
forget(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 100))
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then forget(redis.call('ZRANGE', KEYS[1], 0, 0)) end
redis.call('ZADD', KEYS[1], 'GT', now + ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < tonumber(ARGV[3]) then redis.call('PEXPIRE', key, ARGV[3]) end
end
redis.call('PUBLISH', ARGV[5], ARGV[6])
return 1`;

/** Notices over Redis: messages of one channel, and a hash of those that are kept. */
function createNotices(link: RedisLink, scope: string, observer: StoreObserver): Notices {
  // The API's address may be an internal one.
  const name = hash('sha256', scope, 'base64url').slice(0, 16);
  const channel = keyOf('notices', name);
  const [times, kept] = [keyOf('notice-times', name), keyOf('kept-notices', name)];
  const sender = randomUUID();
  const listeners: ((notice: Notice) => void)[] = [];

  function hear(message: Buffer): void {
    const text = message.length > noticeLength ? '' : message.toString('utf8');
    // Its own messages come back to each sender.
    if (text.startsWith(sender)) return;
    const notice = noticeIn(text.slice(sender.length));
    if (notice === null) observer.count('notices', 'unusable');
    else for (const run of listeners) run(notice);
  }

  link.listen(channel, hear);
  // Those who come late, or were away, read what is kept.
  link.whenUp = async () => {
    const all = await link.send('notices', ['HVALS', kept], storeWriteMs);
    for (const message of Array.isArray(all) ? all.slice(0, keptNotices) : [])
      if (Buffer.isBuffer(message)) hear(message);
  };

  return {
    send(notice, keepMs) {
      const message = sender + JSON.stringify(notice);
      if (keepMs <= 0) return void link.send('notices', ['PUBLISH', channel, message]);
      const rest = [`${notice.kind} ${notice.name}`, message, String(keepMs), String(keptNotices), channel, message];
      return void link.send('notices', ['EVAL', keepNoticeScript, '2', times, kept, ...rest]);
    },
    watch: (run) => void listeners.push(run),
  };
}

// KEYS reports · ARGV name sealed keepMs most
const putReportScript = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then
  redis.call('DEL', KEYS[1])
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

// KEYS reports · ARGV beginning
const dropReportsScript = `
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(name, 1, #ARGV[1]) == ARGV[1] then redis.call('HDEL', KEYS[1], name) end
end
return 1`;

/** Reports in Redis: a hash for each caller, which goes as a whole where the caller has too many of them. */
function createReports(link: RedisLink): ReportStore {
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
    drop(caller, beginning) {
      if (beginning === '') void link.send('reports', ['DEL', keyFor(caller)]);
      else void link.send('reports', ['EVAL', dropReportsScript, '1', keyFor(caller), beginning]);
    },
  };
}

// KEYS lease stream · ARGV token heartbeat leaseMs after
const lookScript = `
local lease = redis.call('GET', KEYS[1])
if not lease then
  lease = ARGV[1] .. ARGV[2]
  redis.call('SET', KEYS[1], lease, 'NX', 'PX', ARGV[3])
end
local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
local last = newest[1] and newest[1][1] or ''
if ARGV[4] == '' then return {lease, last, {}} end
return {lease, last, redis.call('XRANGE', KEYS[2], '(' .. ARGV[4], '+')}`;

// KEYS lease stream · ARGV token heartbeat leaseMs entry entries streamMs channel
const renewScript = `
local lease = redis.call('GET', KEYS[1])
if not lease or string.sub(lease, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
if ARGV[4] ~= '' then
  redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[5], '*', 'e', ARGV[4])
  redis.call('PEXPIRE', KEYS[2], ARGV[6])
end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[3])
if ARGV[4] ~= '' then redis.call('PUBLISH', ARGV[7], '') end
return 1`;

// KEYS lease · ARGV token channel
const releaseScript = `
local lease = redis.call('GET', KEYS[1])
if not lease or string.sub(lease, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], '')
return 1`;

/** Leases and streams of feeds in Redis. A lease is its owner's token and heartbeat in one text; a stream is a stream of Redis. */
function createFeeds(link: RedisLink, observer: StoreObserver): FeedStore {
  const leaseOf = (feed: string): string => keyOf('lease', feed);
  const streamOf = (feed: string): string => keyOf('stream', feed);
  const channelOf = (feed: string): string => keyOf('feed', feed);
  return {
    async look(feed, { token, heartbeat, leaseMs }, after) {
      const from = after === null ? '' : after || '0-0';
      const claim = [token, heartbeat, String(leaseMs)];
      const reply = await link.send('feeds', ['EVAL', lookScript, '2', leaseOf(feed), streamOf(feed), ...claim, from]);
      if (reply === undefined) return null;
      const look = lookIn(reply);
      if (look === null) observer.count('feeds', 'unusable');
      return look;
    },
    async renew(feed, { token, heartbeat, leaseMs }, entry) {
      const keys = [leaseOf(feed), streamOf(feed)];
      const stream = [entry ?? '', String(feedEntries), String(Math.max(leastStreamMs, leaseMs)), channelOf(feed)];
      const claim = [token, heartbeat, String(leaseMs)];
      return (await link.send('feeds', ['EVAL', renewScript, '2', ...keys, ...claim, ...stream])) === 1;
    },
    release(feed, token) {
      void link.send('feeds', ['EVAL', releaseScript, '1', leaseOf(feed), token, channelOf(feed)]);
    },
    watch: (feed, wake) => link.listen(channelOf(feed), wake),
  };
}

/** A look as the script returns it; null for anything else. */
function lookIn(reply: Reply): FeedLook | null {
  if (!Array.isArray(reply)) return null;
  const [lease, last, entries] = reply as readonly unknown[];
  if (!Buffer.isBuffer(lease) || lease.length <= tokenLength || !Array.isArray(entries)) return null;
  const read = entries.map(entryIn);
  if (read.includes(null)) return null;
  return {
    token: lease.toString('latin1', 0, tokenLength),
    heartbeat: lease.subarray(tokenLength),
    last: String(last),
    entries: read as readonly FeedEntry[],
  };
}

/** An entry of a stream: its id, and the list of its one field's name and value. */
function entryIn(entry: unknown): FeedEntry | null {
  if (!Array.isArray(entry) || !Array.isArray(entry[1])) return null;
  const [id, [, sealed]] = entry as [unknown, readonly unknown[]];
  return Buffer.isBuffer(id) && Buffer.isBuffer(sealed) ? { id: id.toString('latin1'), sealed } : null;
}
