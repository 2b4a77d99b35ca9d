import type { Moment } from '../moment.ts';
import type { FeedStateChangedParent } from '../resources/feed-event.ts';
import type { Arrivals, EventId } from './event-ids.ts';
import { Reading, type CallerRoom } from './stream-room.ts';
import type { StreamReader } from './stream-reader.ts';

type State = Pick<FeedStateChangedParent, 'state' | 'since' | 'reason'>;

/** What a reader knows of the state. */
interface Told {
  state: State | null;
  /** Whether deliveries may have come since then that the reader is not sent. */
  hasMissed: boolean;
}

/** Tells the readers who want to know it whether their list is being read: each change once, and the state that a reader joins in. */
export class FeedStates {
  readonly #room: CallerRoom;
  readonly #present: () => Moment;
  readonly #told = new Map<StreamReader, Told>();
  /** Null before the first reading has ended. */
  #current: State | null = null;
  /** Readers at one position are told by one event. */
  #last: {
    readonly state: State;
    readonly missed: boolean;
    readonly eventId: EventId;
    readonly news: Arrivals;
  } | null = null;

  /** `present` tells the API's present. */
  constructor(room: CallerRoom, present: () => Moment) {
    this.#room = room;
    this.#present = present;
  }

  get isPaused(): boolean {
    return this.#current?.state === 'PAUSED';
  }

  /** How many readers want to know. */
  get size(): number {
    return this.#told.size;
  }

  add(reader: StreamReader): void {
    this.#told.set(reader, { state: null, hasMissed: false });
  }

  delete(reader: StreamReader): void {
    this.#told.delete(reader);
  }

  has(reader: StreamReader): boolean {
    return this.#told.has(reader);
  }

  /** Changes the state, unless it is the same already; `reason` is the code of an error, and null for one that is live. */
  change(reason: string | null): void {
    if (this.#current !== null && (this.#current.reason === null) === (reason === null)) return;
    this.#current = this.#stateOf(reason);
  }

  /** Tells a reader the state, unless the reader knows. The id is that of the reader's position. */
  tell(reader: StreamReader, eventId: EventId): void {
    if (this.#current !== null) this.#tell(reader, this.#current, eventId);
  }

  /** Tells one reader that what is read for that reader alone cannot be read. */
  tellPaused(reader: StreamReader, reason: string, eventId: EventId): void {
    if (this.#told.get(reader)?.state?.state !== 'PAUSED') this.#tell(reader, this.#stateOf(reason), eventId);
  }

  /** Notes that a reader who wants to know may have missed deliveries, which the next state tells. */
  noteMissed(reader: StreamReader): void {
    this.#told.get(reader)!.hasMissed = true;
  }

  #tell(reader: StreamReader, state: State, eventId: EventId): void {
    const told = this.#told.get(reader);
    if (told === undefined || told.state === state) return;
    const missed = told.hasMissed && state.state === 'LIVE';
    told.state = state;
    told.hasMissed &&= !missed;
    reader.push(this.#newsOf(state, missed, eventId));
  }

  #stateOf(reason: string | null): State {
    return { state: reason === null ? 'LIVE' : 'PAUSED', since: this.#present(), reason };
  }

  #newsOf(state: State, missed: boolean, eventId: EventId): Arrivals {
    const last = this.#last;
    if (last?.state === state && last.missed === missed && last.eventId === eventId) return last.news;
    const event: FeedStateChangedParent = { ...state, missed, eventId };
    const news = {
      length: 1,
      reading: new Reading(this.#room),
      at: (index: number) => (index === 0 ? event : undefined),
    };
    this.#last = { state, missed, eventId, news };
    return news;
  }
}
