import { CancelSource } from '../cancellation.ts';
import type { EventResult, Execute, StreamEvent, StreamWriter } from './stream.ts';
import type { CallerRoom, Reading, RoomReader } from './stream-room.ts';

/** Events of one moment, the oldest first. */
export interface Arrivals {
  readonly events: readonly StreamEvent[];
  readonly reading: Pick<Reading, 'number' | 'hold' | 'release'>;
}

const endings = new WeakMap<Error, Arrivals>();

/** The failure that ends streams, as their last arrival. It takes no room. */
export function endingWith(failure: Error): Arrivals {
  const reading = { number: Infinity, hold: () => {}, release: () => {} };
  const ending = endings.get(failure) ?? { events: [failure], reading };
  endings.set(failure, ending);
  return ending;
}

/** One subscription that is executed once for all streams that ask the same. */
export class SharedStream {
  readonly room: CallerRoom;
  readonly #execute: Execute<StreamWriter>;
  readonly #whenEmpty: () => void;
  readonly #cancel = new CancelSource();
  readonly #readers = new Map<RoomReader, StreamWriter>();
  readonly #events = new WeakMap<Arrivals, readonly SharedEvent[]>();

  constructor(room: CallerRoom, execute: Execute<StreamWriter>, whenEmpty: () => void) {
    this.room = room;
    this.#execute = execute;
    this.#whenEmpty = whenEmpty;
  }

  add(reader: RoomReader, writer: StreamWriter): void {
    this.#readers.set(reader, writer);
    this.room.add(reader);
  }

  remove(reader: RoomReader): void {
    if (!this.#readers.delete(reader)) return;
    this.room.delete(reader);
    if (this.#readers.size > 0) return;
    this.#whenEmpty();
    this.#cancel.abort(new Error('Nobody reads the stream any more.'));
  }

  /** Arrivals as all readers share them. */
  eventsOf(arrivals: Arrivals): readonly SharedEvent[] {
    const { events, reading } = arrivals;
    const shared =
      this.#events.get(arrivals) ??
      events.map((event, index) => new SharedEvent(this, event, reading, index / events.length));
    this.#events.set(arrivals, shared);
    return shared;
  }

  /** Executes an event on behalf of one of the readers. */
  execute(event: StreamEvent, reader: RoomReader): EventResult | Promise<EventResult> {
    return this.#execute(event, this.#readers.get(reader) as StreamWriter, this.#cancel);
  }
}

/** An event with its result, which is made when the first reader can write it, and kept until the last who waits for it has taken it. */
export class SharedEvent {
  readonly event: StreamEvent;
  readonly reading: Arrivals['reading'];
  /** As that of a reader who waits for it. */
  readonly position: number;
  readonly #stream: SharedStream;
  #result: EventResult | Promise<EventResult> | null = null;
  #readers = 0;

  /** `part` says how far on it is among the events of its reading. */
  constructor(stream: SharedStream, event: StreamEvent, reading: Arrivals['reading'], part: number) {
    this.#stream = stream;
    this.event = event;
    this.reading = reading;
    this.position = reading.number + part;
  }

  /** A reader begins to wait for it. */
  join(): void {
    if (this.#readers++ === 0) this.reading.hold();
  }

  /** A reader has taken it, or waits no more. */
  leave(): void {
    if (--this.#readers > 0) return;
    const result = this.#result;
    this.#result = null;
    if (result !== null && !(result instanceof Promise)) this.#stream.room.release('results', result.bytes);
    this.reading.release();
  }

  /** Its result; null where it is being made, or where there is no room for it. The reader is woken then. */
  resultFor(reader: RoomReader): EventResult | null {
    this.#result ??= this.#make(reader);
    if (!(this.#result instanceof Promise)) return this.#result;
    void this.#result.then(() => reader.wake());
    return null;
  }

  #make(reader: RoomReader): EventResult | Promise<EventResult> | null {
    if (!(this.event instanceof Error || this.#stream.room.allows(reader))) return null;
    const result = this.#stream.execute(this.event, reader);
    if (!(result instanceof Promise)) return this.#keep(result);
    const made = result.then((finished) => {
      // Nobody may want it any more.
      if (this.#result === made) this.#result = this.#keep(finished);
      return finished;
    });
    return made;
  }

  #keep(result: EventResult): EventResult {
    this.#stream.room.hold('results', result.bytes);
    return result;
  }
}
