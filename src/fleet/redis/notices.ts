import { hash, randomUUID } from 'node:crypto';
import { keptNotices, noticeLength, storeWriteMs } from '../../bounds.ts';
import { keyOf } from './key.ts';
import type { RedisLink } from './link.ts';
import { keepNoticeScript } from './scripts.ts';
import { noticeIn, type Notice, type Notices } from '../shared-store.ts';
import type { StoreObserver } from '../store-observer.ts';

/** Notices over Redis: messages of one channel, and a hash of those that are kept. */
export function createNotices(link: RedisLink, scope: string, observer: StoreObserver): Notices {
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
  link.watchUp(async () => {
    const all = await link.send('notices', ['HVALS', kept], storeWriteMs);
    for (const message of Array.isArray(all) ? all.slice(0, keptNotices) : [])
      if (Buffer.isBuffer(message)) hear(message);
  });

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
