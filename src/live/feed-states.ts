import type { Moment } from '../moment.ts';
import type { Arrivals } from './shared-stream.ts';
import type { EventId, StateEvent } from './stream.ts';
import { Reading, type CallerRoom } from './stream-room.ts';
import type { StreamReader } from './stream-reader.ts';

type State = Pick<StateEvent, 'state' | 'since' | 'reason'>;

/** What a reader knows of the state. */
interface Told {
  state: State | null;
  /** Whether deliveries may have come since then that the reader is not sent. */
  hasMissed: boolean;
}

/** A reader who may want to know the state. */
interface ToldReader {
  readonly reader: StreamReader;
  /** Null for one who does not want to know. */
  readonly told: Told | null;
}

/** What a reader knows who has been told nothing yet. */
export function toldNothing(): Told {
  return { state: null, hasMissed: false };
}

/** Tells the readers who want to know it whether their list is being read: each change once, and the state that a reader joins in. */
export class FeedStates {
  readonly #room: CallerRoom;
  readonly #present: () => Moment;
  /** Null before the first reading has ended. */
  #current: State | null = null;
  /** Readers at one position are told by one event. */
  #last: { readonly event: StateEvent; readonly state: State; readonly news: Arrivals } | null = null;

  /** `present` tells the API's present. */
  constructor(room: CallerRoom, present: () => Moment) {
    this.#room = room;
    this.#present = present;
  }

  get isPaused(): boolean {
    return this.#current?.state === 'PAUSED';
  }

  /** Changes the state, unless it is the same already; `reason` is the code of an error, and null for one that is live. */
  change(reason: string | null): void {
    if (this.#current !== null && (this.#current.reason === null) === (reason === null)) return;
    this.#current = this.#stateOf(reason);
  }

  /** Tells a reader the state, unless the reader knows. The id is that of the reader's position. */
  tell(reader: ToldReader, eventId: EventId): void {
    if (this.#current !== null) this.#tell(reader, this.#current, eventId);
  }

  /** Tells one reader that what is read for that reader alone cannot be read. */
  tellPaused(reader: ToldReader, reason: string, eventId: EventId): void {
    if (reader.told?.state?.state !== 'PAUSED') this.#tell(reader, this.#stateOf(reason), eventId);
  }

  #tell({ reader, told }: ToldReader, state: State, eventId: EventId): void {
    if (told === null || told.state === state) return;
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
    if (last?.state === state && last.event.missed === missed && last.event.eventId === eventId) return last.news;
    const event: StateEvent = {
      ...state,
      missed,
      eventId,
      get cursor() {
        return eventId() || null;
      },
    };
    const news = { length: 1, reading: new Reading(this.#room), at: (index: number) => [event][index] };
    this.#last = { event, state, news };
    return news;
  }
}
