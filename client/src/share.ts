import type { Answered, Asked } from './feed-worker.ts';
import {
  followDeliveries,
  type FeedEvent,
  type FeedListener,
  type FeedOptions,
  type FeedStateChanged,
} from './follow.ts';

/** What tabs tell each other. */
type Told =
  /** From the tab that has the stream. */
  | { readonly event: FeedEvent<unknown> }
  /** From a tab that has joined. */
  | { readonly joined: string }
  /** To that tab: the state of the stream, and where it stands. */
  | { readonly to: string; readonly event: FeedStateChanged };

/**
 * Follows the deliveries that appear as `followDeliveries` does, by one stream for all tabs of an origin that follow the same with the
 * same key: a browser has six connections for each origin, and each stream takes one. The stream is that of a SharedWorker. Where none
 * can be had, as where `headers` is a function, it is that of one tab, and when that is closed, another goes on behind the last
 * cursor. Without Web Locks, as in a page without HTTPS, each tab has a stream of its own.
 */
export function shareFeed<Row = unknown>(options: FeedOptions, listener: FeedListener<Row>): () => void {
  const isAble = [globalThis.navigator?.locks, globalThis.crypto?.subtle, globalThis.BroadcastChannel].every(Boolean);
  if (!isAble) return followDeliveries(options, listener);
  const left = new AbortController();
  const take = listener as FeedListener<unknown>;
  const begin = (name: string): void => {
    if (left.signal.aborted) return;
    const byTabs = (): void => new SharedFeed(name, options, take, left.signal).join();
    if (typeof SharedWorker === 'undefined' || typeof options.headers === 'function') byTabs();
    else shareByWorker(name, options, take, left.signal, byTabs);
  };
  // Without headers there is no name, and a stream of one's own tries again.
  const alone = (): void => left.signal.addEventListener('abort', followDeliveries(options, listener));
  nameOf(options).then(begin, alone);
  return () => left.abort();
}

/** Names what is followed and by whom. The key itself is not told: other scripts of the origin see the names of locks and channels. */
async function nameOf({ url, key, headers, filter, selection, fragments }: FeedOptions): Promise<string> {
  const own = typeof headers === 'function' ? await headers() : headers;
  const text = new TextEncoder().encode(JSON.stringify([url, key, own, filter, selection, fragments]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return `switchboard-feed-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

interface Worker {
  readonly port: MessagePort;
  addEventListener(type: 'error', listener: () => void): void;
}

// Node has none.
declare const SharedWorker: new (url: URL, options: { name: string; type: 'module' }) => Worker;

/** Follows by the stream of a worker. Where its script cannot be had, as from a bundler that does not know it, calls `otherwise`. */
function shareByWorker(
  name: string,
  options: FeedOptions,
  listener: FeedListener<unknown>,
  signal: AbortSignal,
  otherwise: () => void,
): void {
  const worker = startWorker(name);
  if (worker === null) return otherwise();
  const { port } = worker;
  let hasJoined = false;
  const leave = (): void => {
    clearTimeout(patience);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    port.postMessage('leave' satisfies Asked);
    port.close();
  };
  const giveUp = (): void => {
    if (hasJoined || signal.aborted) return;
    hasJoined = true;
    signal.removeEventListener('abort', leave);
    leave();
    otherwise();
  };
  // Not every browser tells every tab that the script cannot be had.
  const patience = setTimeout(giveUp, 5000);
  worker.addEventListener('error', giveUp);
  signal.addEventListener('abort', leave);
  port.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
    clearTimeout(patience);
    hasJoined = true;
    if (data !== 'joined' && !signal.aborted) listener(data);
  });
  port.start();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  port.postMessage({ follow: options } satisfies Asked);
}

/** Null where the page may not have one, for example since its scripts are of another origin. */
function startWorker(name: string): Worker | null {
  try {
    return new SharedWorker(new URL('./feed-worker.js', import.meta.url), { name, type: 'module' });
  } catch {
    return null;
  }
}

/** One tab's part in the stream of all. */
class SharedFeed {
  readonly #name: string;
  readonly #options: FeedOptions;
  readonly #listener: FeedListener<unknown>;
  readonly #signal: AbortSignal;
  readonly #channel: BroadcastChannel;
  readonly #id = crypto.randomUUID();
  readonly #ended = new AbortController();
  #isLeader = false;
  /** Where the stream stands, by what this tab has heard. */
  #cursor: string | null;
  /** Null until this tab has heard it: nothing is handed on before. */
  #state: FeedStateChanged | null = null;

  constructor(name: string, options: FeedOptions, listener: FeedListener<unknown>, signal: AbortSignal) {
    this.#name = name;
    this.#options = options;
    this.#listener = listener;
    this.#signal = signal;
    this.#cursor = options.after ?? null;
    this.#channel = new BroadcastChannel(name);
  }

  join(): void {
    this.#channel.addEventListener('message', ({ data }) => this.#hear(data as Told));
    this.#signal.addEventListener('abort', () => this.#leave());
    // Tabs wait for the lock in the order in which they have come: one that has heard all has it before one that is new.
    navigator.locks.request(this.#name, { signal: this.#ended.signal }, () => this.#lead()).catch(() => {});
    this.#tell({ joined: this.#id });
  }

  #leave(): void {
    this.#ended.abort();
    this.#channel.close();
  }

  /** Has the stream, as long as this tab follows it. */
  #lead(): Promise<void> {
    if (this.#ended.signal.aborted) return Promise.resolve();
    this.#isLeader = true;
    const stop = followDeliveries({ ...this.#options, after: this.#cursor }, (event) => {
      this.#tell({ event });
      this.#take(event);
    });
    return new Promise((resolve) => {
      this.#ended.signal.addEventListener('abort', () => {
        stop();
        resolve();
      });
    });
  }

  #tell(told: Told): void {
    // A channel is of one origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#channel.postMessage(told);
  }

  #hear(told: Told): void {
    if ('joined' in told) {
      if (!this.#isLeader || this.#state === null) return;
      this.#tell({ to: told.joined, event: { ...this.#state, cursor: this.#cursor } });
    } else if ('to' in told) {
      if (told.to === this.#id && this.#state === null) this.#take(told.event);
    } else if (this.#state !== null || told.event.type === 'state' || told.event.type === 'end') this.#take(told.event);
  }

  #take(event: FeedEvent<unknown>): void {
    if (this.#ended.signal.aborted) return;
    if (event.type === 'state') this.#state = event;
    if ('cursor' in event) this.#cursor = event.cursor ?? this.#cursor;
    if (event.type === 'end') this.#leave();
    this.#listener(event);
  }
}
