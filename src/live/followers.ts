import { gatewayErrorsOf } from '../errors.ts';
import type { Moment } from '../moment.ts';
import { Arrivals } from './arrivals.ts';
import { presentOf, type ReadingOptions } from './delivery-reading.ts';
import { isBefore, watermarkOf, type DeliveryWindow } from './delivery-window.ts';
import type { EventId, StateEvent } from './stream.ts';
import type { StreamReader } from './stream-reader.ts';

type State = Pick<StateEvent, 'state' | 'since' | 'reason'>;

/** One who follows a feed. */
export interface Follower {
  readonly reader: StreamReader;
  /** Resolves to the id that its stream begins with; rejects where it cannot begin. */
  readonly begun: PromiseWithResolvers<EventId>;
  /** Whether it is told the states of the feed. */
  readonly wantsStates: boolean;
  /** The state that it was told last. */
  told: State | null;
  /** Whether deliveries may have come since then that it is not sent: the next state is that the list is read again. */
  hasMissed: boolean;
}

/** What a follower who has come back waits for. */
export interface Returning {
  /** What it had seen when it went away. */
  readonly seen: DeliveryWindow;
  /** From when on the list must be read for it; null: all of it. */
  readonly since: Moment | null;
  /** How often what was missed could not be read. */
  failures: number;
  /** By performance.now(), in milliseconds. */
  notBefore: number;
}

/** Replaces a moment of the future, until which the follower would wait. Clocks may differ by the overlap. */
export function returningFrom(window: DeliveryWindow, options: ReadingOptions): Returning {
  const { subscriptionOverlapMs } = options;
  const now = presentOf(options);
  const isOfFuture = isBefore(now, watermarkOf(window, subscriptionOverlapMs));
  const seen = isOfFuture ? { ...window, newest: now } : window;
  return { seen, since: watermarkOf(seen, subscriptionOverlapMs), failures: 0, notBefore: 0 };
}

/** The code by which followers are told of a failure. */
export function codeOf(failure: unknown): string {
  return gatewayErrorsOf(failure)[0]?.code ?? 'UPSTREAM_ERROR';
}

/** Tells those who want to know it whether their list is being read: each change once, and the state in which they join. */
export class FeedStates {
  readonly #options: ReadingOptions;
  /** Null before the first reading has ended. */
  #current: State | null = null;
  /** Followers at one position are told by one event. */
  #last: { readonly event: StateEvent; readonly state: State; readonly news: Arrivals } | null = null;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  get isPaused(): boolean {
    return this.#current?.state === 'PAUSED';
  }

  /** Notes why the list could not be read; null: it could. */
  change(failure: unknown): void {
    if (this.#current === null || this.isPaused !== (failure !== null)) this.#current = this.#stateOf(failure);
  }

  /** Tells the state, unless it is known already. The id is that of the follower's position. */
  tell(follower: Follower, eventId: EventId, state = this.#current): void {
    if (!follower.wantsStates || state === null || follower.told === state) return;
    follower.reader.push(this.#newsOf(state, follower.hasMissed, eventId));
    follower.told = state;
    follower.hasMissed = false;
  }

  /** Tells one follower that what is read for that one alone cannot be read. */
  tellPaused(follower: Follower, failure: unknown, eventId: EventId): void {
    if (follower.told?.state !== 'PAUSED') this.tell(follower, eventId, this.#stateOf(failure));
  }

  #stateOf(failure: unknown): State {
    const since = presentOf(this.#options);
    return failure === null
      ? { state: 'LIVE', since, reason: null }
      : { state: 'PAUSED', since, reason: codeOf(failure) };
  }

  #newsOf(state: State, missed: boolean, eventId: EventId): Arrivals {
    const last = this.#last;
    if (last?.state === state && last.event.missed === missed && last.event.eventId === eventId) return last.news;
    const event: StateEvent = {
      ...state,
      missed,
      eventId,
      get cursor() {
        return eventId() || null;
      },
    };
    const news = new Arrivals([event], 0);
    this.#last = { event, state, news };
    return news;
  }
}
