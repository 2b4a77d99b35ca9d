import { storeWaitMs } from '../bounds.ts';
import { withTimeout } from '../timeout.ts';
import type { Claim, FeedLook, Notice, SharedStore } from '../fleet/shared-store.ts';
import type { MainFunctions } from './protocol.ts';
import type { Remote } from './remote.ts';

/** The store of the main thread, as a worker uses it. */
export interface WorkerStore {
  readonly store: SharedStore;
  /** Hands on what the main thread tells. */
  readonly hear: { readonly notice: (notice: Notice) => void; readonly wake: (feed: string) => void };
}

/** Creates the store of a worker. Each worker keeps its reports for itself. */
export function createWorkerStore(main: Pick<Remote<MainFunctions>, 'call' | 'notify'>): WorkerStore {
  const listeners: ((notice: Notice) => void)[] = [];
  const watchers = new Map<string, Set<() => void>>();

  return {
    hear: {
      notice: (notice) => listeners.forEach((run) => run(notice)),
      wake: (feed) => watchers.get(feed)?.forEach((run) => run()),
    },
    store: {
      notices: {
        send: (notice, keepMs) => main.notify('sendNotice', { notice, keepMs }),
        watch: (run) => void listeners.push(run),
      },
      reports: null,
      feeds: {
        async look(feed, claim, after) {
          const look = await inTime(main.call('lookAtFeed', { feed, claim, after }));
          return look && received(look);
        },
        renew: async (feed, claim, entry) => (await inTime(main.call('renewFeed', { feed, claim, entry }))) === true,
        release: (feed, token) => main.notify('releaseFeed', { feed, token }),
        watch(feed, wake) {
          const all = watchers.get(feed) ?? new Set();
          watchers.set(feed, all.add(wake));
          return () => {
            all.delete(wake);
            if (all.size === 0) watchers.delete(feed);
          };
        },
      },
      close: () => Promise.resolve(),
    },
  };
}

/** Null where the main thread does not reply in time, or has ended. */
function inTime<Value>(reply: Promise<Value>): Promise<Value | null> {
  return withTimeout(reply, storeWaitMs).catch(() => null);
}

/** A copy between threads makes plain byte arrays of buffers. */
function received({ token, heartbeat, last, entries }: FeedLook): FeedLook {
  return {
    token,
    last,
    heartbeat: bufferOf(heartbeat),
    entries: entries.map(({ id, sealed }) => ({ id, sealed: bufferOf(sealed) })),
  };
}

/** The same bytes as a buffer. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A claim whose bytes have come from another thread. */
export function receivedClaim(claim: Claim): Claim {
  return { ...claim, heartbeat: bufferOf(claim.heartbeat) };
}
