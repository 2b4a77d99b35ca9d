import { gatewayErrorsIn, isRetryable, retryAfterSecondsOf } from './errors.ts';
import { callerOf, isFixed, type Caller, type Follower } from './account.ts';
import { serverSentEvents } from './event-stream.ts';
import { isOfType, post, resultOf } from './http.ts';

/** What is followed, and by whom. */
export interface FeedOptions extends Follower {
  /** A cursor of a feed with the same filter, behind which this one goes on. Default: what appears from now on. */
  readonly after?: string | null;
  /** A WebhookDeliveryFilter. Default: all deliveries. */
  readonly filter?: Readonly<Record<string, unknown>>;
  /** The fields of each delivery. Default: `id status startedAt finishedAt`. */
  readonly selection?: string;
  /** The definitions of the fragments in `selection`, e.g. `print(DeliveryRowFragmentDoc)`. */
  readonly fragments?: string;
  /** How long nothing may come before the stream counts as broken. The gateway gives a sign of life every 12 seconds. Default: 40,000. */
  readonly silenceMs?: number;
}

/** An error of GraphQL, or one of the connection. */
export interface FeedError {
  readonly message: string;
}

/** A delivery that has appeared, the oldest first. One may come again when a stream goes on after more than 250 within a minute. */
export interface DeliveryArrived<Row> {
  readonly type: 'delivery';
  readonly delivery: Row;
  /** Behind this delivery a feed goes on that gets it as `after`. */
  readonly cursor: string;
  /** Of fields of the delivery that are null. */
  readonly errors: readonly FeedError[];
}

/** The beginning of a state. The first event is one. */
export interface FeedStateChanged {
  readonly type: 'state';
  /** `PAUSED`: nothing can be read at present; what appears meanwhile comes later. */
  readonly state: 'LIVE' | 'PAUSED';
  /** In ISO 8601. */
  readonly since: string;
  /** Why the feed is paused: an error code, or `DISCONNECTED` where the gateway is not reached. Null while it is live. */
  readonly reason: string | null;
  /** Whether deliveries may have appeared that are not sent: read the list again, as at the first `LIVE`. */
  readonly missed: boolean;
  /** Where the feed stands; null where nothing has been read yet. */
  readonly cursor: string | null;
}

/** A delivery that cannot be shown; the feed goes on. */
export interface DeliveryFailed {
  readonly type: 'error';
  readonly errors: readonly FeedError[];
}

/** The last event: a failure that does not pass, such as a refused key with no new one, or another account. */
export interface FeedEnded {
  readonly type: 'end';
  readonly errors: readonly FeedError[];
  /** Whether `account` tells another than at the beginning, or none: drop the rows, and follow anew for whoever is signed in. */
  readonly hasAccountChanged: boolean;
}

export const accountChanged: FeedEnded = {
  type: 'end',
  errors: [{ message: 'Another account is signed in than at the beginning, or none.' }],
  hasAccountChanged: true,
};

export type FeedEvent<Row> = DeliveryArrived<Row> | FeedStateChanged | DeliveryFailed | FeedEnded;

export type FeedListener<Row> = (event: FeedEvent<Row>) => void;

/**
 * Follows the deliveries that appear, over broken connections and restarts of the gateway, until the function that it returns is called
 * or a failure comes that does not pass. `Row` is the type of `selection`.
 */
export function followDeliveries<Row = unknown>(options: FeedOptions, listener: FeedListener<Row>): () => void {
  const left = new AbortController();
  let account: string | null | undefined = null;
  const mayFollow = (caller: Caller): boolean => {
    account ??= caller.account;
    if (options.account === undefined || (account !== null && account === caller.account)) return true;
    // A fault of the listener is none of the connection.
    queueMicrotask(() => listener(accountChanged));
    return false;
  };
  follow(options, listener as FeedListener<unknown>, left.signal, mayFollow);
  return () => left.abort();
}

/** Whether a connection may be made for a caller. Where it may not, the feed is over. */
export type MayFollow = (caller: Caller) => boolean | Promise<boolean>;

/** Follows as `followDeliveries` does, and asks before each connection. */
export function follow(
  options: FeedOptions,
  listener: FeedListener<unknown>,
  signal: AbortSignal,
  mayFollow: MayFollow,
): void {
  void new Feed(options, listener, signal, mayFollow).run();
}

/** Why a stream has ended that is to be followed by another. */
interface Pause {
  readonly reason: string;
  /** Null where the gateway names no wait. */
  readonly retryAfterSeconds: number | null;
}

/** Timers take a longer delay for none. */
const longestDelay = 2_147_483_647;

/** In milliseconds. */
export const silenceOf = ({ silenceMs = 40_000 }: FeedOptions): number => Math.min(silenceMs, longestDelay);

const disconnected: Pause = { reason: 'DISCONNECTED', retryAfterSeconds: null };

/** What comes in an event, under the names of the query below. */
interface Message {
  readonly data?: { readonly deliveryFeed: SentDelivery | SentState } | null;
  readonly errors?: readonly (FeedError & { readonly path?: readonly unknown[] })[];
}

interface SentDelivery {
  readonly cursor: string;
  readonly delivery: unknown;
}

type SentState = Omit<FeedStateChanged, 'type'>;

const queryOf = (selection: string, fragments: string): string => `
subscription DeliveryFeed($after: String, $filter: WebhookDeliveryFilter) {
  deliveryFeed(after: $after, filter: $filter) {
    ... on DeliveryArrived { cursor delivery { ${selection} } }
    ... on FeedStateChanged { state since cursor reason missed }
  }
}
${fragments}`;

class Feed {
  readonly #options: FeedOptions;
  readonly #listener: FeedListener<unknown>;
  readonly #signal: AbortSignal;
  readonly #mayFollow: MayFollow;
  #cursor: string | null;
  /** How many streams have ended since the last event. */
  #failures = 0;
  /** Whether more came behind the cursor than can be read. */
  #hasMissed = false;
  /** Whether the key of the last stream was refused. */
  #isRefused = false;

  constructor(options: FeedOptions, listener: FeedListener<unknown>, signal: AbortSignal, mayFollow: MayFollow) {
    this.#options = options;
    this.#listener = listener;
    this.#signal = signal;
    this.#mayFollow = mayFollow;
    this.#cursor = options.after ?? null;
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const pause = await this.#followOnce().catch(() => disconnected);
      if (pause === null || this.#signal.aborted) return;
      const { reason, retryAfterSeconds } = pause;
      if (this.#failures === 0) this.#tellState('PAUSED', { reason, since: new Date().toISOString(), missed: false });
      await waited(waitMs(this.#failures++, retryAfterSeconds), this.#signal);
    }
  }

  /** Follows one stream to its end. Null where no other shall follow; throws where the connection breaks. */
  async #followOnce(): Promise<Pause | null> {
    const { filter, selection = 'id status startedAt finishedAt', fragments = '' } = this.#options;
    const silenceMs = silenceOf(this.#options);
    const connection = new AbortController();
    const close = (): void => connection.abort();
    let timer = setTimeout(close, silenceMs);
    this.#signal.addEventListener('abort', close);
    try {
      const caller = await before(connection.signal, callerOf(this.#options));
      if (!(await this.#mayFollow(caller))) return null;
      const operation = { query: queryOf(selection, fragments), variables: { after: this.#cursor, filter } };
      const { signal } = connection;
      const response = await post(this.#options.url, caller.headers, operation, 'text/event-stream', signal);
      if (!isOfType(response, 'text/event-stream')) return await this.#pauseAfterRefusal(response);
      let hasBegun = false;
      for await (const { event, data, id } of serverSentEvents(response)) {
        clearTimeout(timer);
        timer = setTimeout(close, silenceMs);
        if (event === 'complete') break;
        const message = data ? (JSON.parse(data) as Message) : null;
        // Behind an event that cannot be read, nothing goes on. An id without an event is where the stream begins.
        if (id !== null && id !== '') this.#cursor = id;
        if (message === null) continue;
        // The error of one delivery has a path within that; the stream goes on.
        const isEnd = message.data == null && !message.errors?.some(({ path = [] }) => path.length > 1);
        if (isEnd) return this.#pauseAfter(message.errors ?? [], hasBegun);
        this.#take(message);
        hasBegun = true;
      }
      return disconnected;
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', close);
      close();
    }
  }

  #take({ data, errors = [] }: Message): void {
    const event = data?.deliveryFeed;
    this.#failures = 0;
    this.#isRefused = false;
    if (event === undefined) return this.#tell({ type: 'error', errors });
    if ('delivery' in event) {
      this.#cursor = event.cursor;
      this.#tell({ type: 'delivery', ...event, errors });
      return;
    }
    const { state, since, reason, cursor } = event;
    this.#cursor = cursor ?? this.#cursor;
    const isLive = state === 'LIVE';
    this.#tellState(state, { since, reason, missed: isLive && (event.missed || this.#hasMissed) });
    this.#hasMissed &&= !isLive;
  }

  /** What follows a response that is no stream. Errors of a proxy are not the gateway's, and pass where their status says so. */
  async #pauseAfterRefusal(response: Response): Promise<Pause | null> {
    const { status, headers } = response;
    const { errors = [] } = await resultOf(response);
    const mayPass = status >= 500 || status === 408 || status === 429;
    if (!mayPass || gatewayErrorsIn(errors).length > 0) return this.#pauseAfter(errors, false, status);
    return { ...disconnected, retryAfterSeconds: secondsIn(headers.get('retry-after') ?? '') };
  }

  /** What follows the errors that have ended a stream. Where they do not pass, they are told, and nothing follows. */
  #pauseAfter(errors: readonly FeedError[], hasBegun: boolean, status = 200): Pause | null {
    const [first] = gatewayErrorsIn(errors);
    const reason = first?.extensions.code ?? (status === 401 ? 'UNAUTHENTICATED' : disconnected.reason);
    const isTooMuch = reason === 'QUERY_TOO_COMPLEX';
    const wasRefused = this.#isRefused;
    this.#isRefused = reason === 'UNAUTHENTICATED';
    const mayBeRenewed = this.#isRefused && !wasRefused && !isFixed(this.#options);
    if (isTooMuch && first?.extensions.argument?.[0] === 'after') {
      this.#cursor = null;
      this.#hasMissed = true;
    } else if (!isRetryable(errors) && !(isTooMuch && hasBegun) && !mayBeRenewed) {
      // A reader who was too slow goes on behind the last cursor, and a function is asked once for a new key. No other failure passes.
      this.#tell({ type: 'end', errors, hasAccountChanged: false });
      return null;
    }
    return { reason, retryAfterSeconds: retryAfterSecondsOf(errors) };
  }

  #tellState(state: 'LIVE' | 'PAUSED', rest: Pick<FeedStateChanged, 'since' | 'reason' | 'missed'>): void {
    this.#tell({ type: 'state', state, ...rest, cursor: this.#cursor });
  }

  #tell(event: FeedEvent<unknown>): void {
    if (this.#signal.aborted) return;
    try {
      this.#listener(event);
    } catch (error) {
      // A fault of the listener is none of the connection.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** The wait that a `Retry-After` names, in seconds or as a date; null for other texts. */
function secondsIn(text: string): number | null {
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 ? seconds : null;
}

/** Twice as long after each failure, up to half a minute, and not all who were cut off together; never shorter than the gateway says. */
export function waitMs(failures: number, retryAfterSeconds: number | null, random = Math.random()): number {
  const wait = Math.min(1000 * 2 ** failures, 30_000) * (0.5 + random / 2);
  return Math.min(wait + (retryAfterSeconds ?? 0) * 1000, longestDelay);
}

/** Settles as a promise does, but rejects when the signal aborts: what a page does before a connection may take for ever. */
export function before<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([promise, aborted]);
}

/** Resolves after so many milliseconds, or when the signal aborts. */
function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
