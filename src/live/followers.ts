import { gatewayErrorsOf } from '../errors.ts';
import type { Moment } from '../moment.ts';
import { presentOf, type DeliveryRecords, type ReadingOptions } from './delivery-reading.ts';
import { isBefore, watermarkOf, type DeliveryWindow } from './delivery-window.ts';
import { Arrivals } from './arrivals.ts';
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
  /** Whether deliveries may have come since then that it is not sent. */
  hasMissed: boolean;
  /** Null for one who was not away, or has been sent all that was missed. */
  returning: Returning | null;
}

/** A follower who has come back, and waits for the deliveries that were missed. */
interface Returning {
  readonly seen: DeliveryWindow;
  /** How often what was missed could not be read. */
  failures: number;
  /** By performance.now(), in milliseconds. */
  notBefore: number;
}

/** One who comes back, and has seen so much; null: who was not away. */
export function returningFrom(seen: DeliveryWindow | null): Returning | null {
  return seen === null ? null : { seen, failures: 0, notBefore: 0 };
}

/** The code by which followers are told of a failure. */
export function codeOf(failure: unknown): string {
  return gatewayErrorsOf(failure)[0]?.code ?? 'UPSTREAM_ERROR';
}

/** Tells those who want to know it whether their list is being read: each change once, and the state in which they join. */
export class FeedStates {
  readonly #present: () => Moment;
  /** Null before the first reading has ended. */
  #current: State | null = null;
  /** Followers at one position are told by one event. */
  #last: { readonly event: StateEvent; readonly state: State; readonly news: Arrivals } | null = null;

  /** `present` tells the API's present. */
  constructor(present: () => Moment) {
    this.#present = present;
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
    const missed = follower.hasMissed && state.state === 'LIVE';
    follower.told = state;
    follower.hasMissed &&= !missed;
    follower.reader.push(this.#newsOf(state, missed, eventId));
  }

  /** Tells one follower that what is read for that one alone cannot be read. */
  tellPaused(follower: Follower, failure: unknown, eventId: EventId): void {
    if (follower.told?.state !== 'PAUSED') this.tell(follower, eventId, this.#stateOf(failure));
  }

  #stateOf(failure: unknown): State {
    const since = this.#present();
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

/** A follower who gets what was missed with the next reading. */
export interface Due {
  readonly follower: Follower;
  readonly returning: Returning;
  readonly seen: DeliveryWindow;
  /** From when on the list must be read for it; null: all of it. */
  readonly since: Moment | null;
}

/**
 * Reads a list from a moment on, and further back where returning followers need it, all in one reading. Returns the rows, and those for
 * whom they are enough. What must be read for one alone may fail: `whenFailed` runs then, and all others get theirs.
 */
export async function readForReturning(
  followers: Iterable<Follower>,
  from: Moment | null,
  readSince: (moment: Moment | null) => Promise<DeliveryRecords>,
  options: ReadingOptions,
  whenFailed: (due: Due, error: unknown) => void,
): Promise<{ readonly rows: DeliveryRecords; readonly returned: readonly Due[] }> {
  const due = [...followers].flatMap((follower) => dueOf(follower, options));
  const oldest = due.map(({ since }) => since).reduce(earlierOf, from);
  if (oldest !== from) {
    try {
      return { rows: await readSince(oldest), returned: due };
    } catch (error) {
      for (const each of due) if (each.since === oldest) whenFailed(each, error);
    }
  }
  // Those who have stayed do not wait for those who had gone.
  return { rows: await readSince(from), returned: due.filter(({ since }) => earlierOf(since, from) === from) };
}

/** Replaces a moment of the future, until which the follower would wait. Clocks may differ by the overlap. */
function dueOf(follower: Follower, options: ReadingOptions): readonly Due[] {
  const { returning } = follower;
  if (returning === null || returning.notBefore > performance.now()) return [];
  const now = presentOf(options);
  const isOfFuture = isBefore(now, watermarkOf(returning.seen, options.subscriptionOverlapMs));
  const seen = isOfFuture ? { ...returning.seen, newest: now } : returning.seen;
  return [{ follower, returning, seen, since: watermarkOf(seen, options.subscriptionOverlapMs) }];
}

/** The moment from which there is more to read. */
function earlierOf(left: Moment | null, right: Moment | null): Moment | null {
  if (left === null || right === null) return null;
  return isBefore(left, right) ? left : right;
}
