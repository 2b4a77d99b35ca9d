import { callerOf, identityOf, isFixed, type Caller } from './account.ts';
import type { Answered, Asked } from './feed-worker.ts';
import {
  accountChanged,
  before,
  follow,
  followDeliveries,
  silenceOf,
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
 * Follows the deliveries that appear as `followDeliveries` does, by one stream for all tabs of an origin that follow the same for the
 * same account: a browser has six connections for each origin, and each stream takes one. The stream is that of a SharedWorker. Where
 * none can be had, as where `headers` or `account` is a function, it is that of one tab, and when that is closed, or another account is
 * signed in there, another goes on behind the last cursor. A tab has a stream of its own without Web Locks, as in a page without HTTPS,
 * and where neither `account` nor a bearer key tells whose deliveries they are.
 */
export function shareFeed<Row = unknown>(options: FeedOptions, listener: FeedListener<Row>): () => void {
  const isAble = [globalThis.navigator?.locks, globalThis.crypto?.subtle, globalThis.BroadcastChannel].every(Boolean);
  if (!isAble) return followDeliveries(options, listener);
  const left = new AbortController();
  const take = listener as FeedListener<unknown>;
  const begin = (name: string | null): void => {
    if (left.signal.aborted) return;
    if (name === null) return followAlone(options, take, left.signal);
    const byTabs = (): void => new SharedFeed(name, options, take, left.signal).join();
    if (typeof SharedWorker === 'undefined' || !isFixed(options)) byTabs();
    else shareByWorker(name, options, take, left.signal, byTabs);
  };
  // A stream of one's own tries again, where nobody can be asked now.
  before(AbortSignal.timeout(silenceOf(options)), callerOf(options))
    .then((caller) => nameOf(options, caller))
    .then(begin, () => begin(null));
  return () => left.abort();
}

function followAlone(options: FeedOptions, listener: FeedListener<unknown>, signal: AbortSignal): void {
  if (!signal.aborted) signal.addEventListener('abort', followDeliveries(options, listener));
}

/**
 * Names what is followed and by whom; null where nobody tells whose it is. The key itself is not told: other scripts of the origin see the
 * names of locks and channels.
 */
async function nameOf(options: FeedOptions, caller: Caller): Promise<string | null> {
  const { url, after, filter, selection, fragments } = options;
  const identity = identityOf(caller);
  if (identity === null) return null;
  const text = new TextEncoder().encode(JSON.stringify([url, identity, after, filter, selection, fragments]));
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
  /** Whether the stream stood elsewhere when this tab came from another. */
  #hasMissed = false;
  /** Null until this tab has heard it: nothing is handed on before. */
  #state: FeedStateChanged | null = null;

  /** `cursor` is that of a stream with another name, which this tab has left. */
  constructor(
    name: string,
    options: FeedOptions,
    listener: FeedListener<unknown>,
    signal: AbortSignal,
    cursor = options.after ?? null,
  ) {
    this.#name = name;
    this.#options = options;
    this.#listener = listener;
    this.#signal = signal;
    this.#cursor = cursor;
    this.#channel = new BroadcastChannel(name);
  }

  join(): void {
    this.#channel.addEventListener('message', ({ data }) => this.#hear(data as Told));
    this.#signal.addEventListener('abort', this.#leave);
    // Tabs wait for the lock in the order in which they have come: one that has heard all has it before one that is new.
    navigator.locks
      .request(this.#name, { signal: this.#ended.signal }, () => this.#lead())
      // Some browsers take the lock from a tab whose page they keep for later. Others refuse every lock.
      .catch(() => this.#moveTo(this.#isLeader ? this.#name : null));
    this.#tell({ joined: this.#id });
  }

  readonly #leave = (): void => {
    this.#signal.removeEventListener('abort', this.#leave);
    this.#ended.abort();
    this.#channel.close();
  };

  /** Goes on with the stream of another name, behind what this tab has heard; null: with one of its own. */
  #moveTo(name: string | null): void {
    if (this.#ended.signal.aborted) return;
    this.#leave();
    if (name === null) followAlone({ ...this.#options, after: this.#cursor }, this.#listener, this.#signal);
    else new SharedFeed(name, this.#options, this.#listener, this.#signal, this.#cursor).join();
  }

  /** Has the stream, as long as this tab follows it. */
  #lead(): Promise<void> {
    if (this.#ended.signal.aborted) return Promise.resolve();
    this.#isLeader = true;
    const options = { ...this.#options, after: this.#cursor };
    const tell = (event: FeedEvent<unknown>): void => {
      // Tabs of one account may have other keys, and each of them learns by itself whether its own is refused.
      if (event.type !== 'end' || this.#options.account === undefined) this.#tell({ event });
      this.#take(event);
    };
    follow(options, tell, this.#ended.signal, (caller) => this.#isStill(caller));
    return new Promise((resolve) => {
      this.#ended.signal.addEventListener('abort', () => resolve());
    });
  }

  /** Whether the stream is that of a caller. Leaves it where it is not: those who stay go on without this tab. */
  async #isStill(caller: Caller): Promise<boolean> {
    const name = await nameOf(this.#options, caller);
    if (name === this.#name || this.#ended.signal.aborted) return !this.#ended.signal.aborted;
    if (caller.account === undefined) this.#moveTo(name);
    else this.#take(accountChanged);
    return false;
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
      if (told.to === this.#id && this.#state === null) this.#begin(told.event);
    } else if (told.event.type === 'state') {
      if (this.#state === null) this.#begin(told.event);
      else this.#take(told.event);
      // Another connection may have begun.
      callerOf(this.#options).then(
        (caller) => this.#isStill(caller),
        () => {},
      );
    } else if (this.#state !== null || told.event.type === 'end') this.#take(told.event);
  }

  /** Joins a stream that another tab has. */
  #begin(event: FeedStateChanged): void {
    this.#hasMissed = this.#cursor !== null && this.#cursor !== event.cursor;
    this.#take(event);
  }

  #take(event: FeedEvent<unknown>): void {
    if (this.#ended.signal.aborted) return;
    if ('cursor' in event) this.#cursor = event.cursor ?? this.#cursor;
    if (event.type === 'end') this.#leave();
    if (event.type !== 'state') return this.#listener(event);
    const isLive = event.state === 'LIVE';
    this.#state = event;
    this.#listener({ ...event, missed: event.missed || (isLive && this.#hasMissed) });
    this.#hasMissed &&= !isLive;
  }
}
