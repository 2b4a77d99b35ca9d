import { hash, randomUUID } from 'node:crypto';
import {
  noticeIn,
  type FeedStore,
  type Notice,
  type Notices,
  type ReportStore,
  type SharedStore,
} from '../shared-store.ts';
import type { StoreObserver } from '../store-observer.ts';
import { RedisLink } from './link.ts';

/** Milliseconds for a report that is put away: no request waits for that. */
const storeWriteMs = 1_000;

/** Bytes of a notice: names and a sealed number take two hundred. */
const noticeLength = 1_024;

/** Reports of one caller in the store; one more drops the others. A client pages through one or two at a time. */
export const keptReports = 16;

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
    feeds: createFeeds(link),
    close: () => link.close(),
  };
}

/** A key of the store. The braces keep the keys of one name together, should the store ever be cut into slots. */
export function keyOf(kind: string, name: string): string {
  return `switchboard:1:{${name}}:${kind}`;
}

// Scripts run in Redis, each whole or not at all. A script has its keys first, then its arguments.

/** Notices over Redis: messages of one channel. */
function createNotices(link: RedisLink, scope: string, observer: StoreObserver): Notices {
  // The API's address may be an internal one.
  const channel = keyOf('notices', hash('sha256', scope, 'base64url').slice(0, 16));
  const sender = randomUUID();
  const listeners: ((notice: Notice) => void)[] = [];

  link.listen(channel, (message) => {
    const text = message.length > noticeLength ? '' : message.toString('utf8');
    // Its own messages come back to each sender.
    if (text.startsWith(sender)) return;
    const notice = noticeIn(text.slice(sender.length));
    if (notice === null) observer.count('notices', 'unusable');
    else for (const run of listeners) run(notice);
  });

  return {
    send: (notice) => void link.send('notices', ['PUBLISH', channel, sender + JSON.stringify(notice)]),
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

/** Feeds over Redis: messages of a channel each. */
function createFeeds(link: RedisLink): FeedStore {
  const channelOf = (feed: string): string => keyOf('feed', feed);
  return {
    send: (feed, sealed) => void link.send('feeds', ['PUBLISH', channelOf(feed), sealed], storeWriteMs),
    watch: (feed, hear) => link.listen(channelOf(feed), hear),
  };
}
