import { feedEntries, leastStreamMs } from '../../bounds.ts';
import { keyOf } from './key.ts';
import type { RedisLink, Reply } from './link.ts';
import { lookScript, releaseScript, renewScript } from './scripts.ts';
import { tokenLength, type FeedEntry, type FeedLook, type FeedStore } from '../shared-store.ts';
import type { StoreObserver } from '../store-observer.ts';

/** Leases and streams of feeds in Redis. A lease is its owner's token and heartbeat in one text; a stream is a stream of Redis. */
export function createFeeds(link: RedisLink, observer: StoreObserver): FeedStore {
  const leaseOf = (feed: string): string => keyOf('lease', feed);
  const streamOf = (feed: string): string => keyOf('stream', feed);
  const channelOf = (feed: string): string => keyOf('feed', feed);
  return {
    async look(feed, { token, heartbeat, leaseMs }, after) {
      const from = after === null ? '' : after || '0-0';
      const keys = [leaseOf(feed), streamOf(feed)];
      const reply = await link.send('feeds', [
        'EVAL',
        lookScript,
        '2',
        ...keys,
        token,
        heartbeat,
        String(leaseMs),
        from,
      ]);
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
