import type { EventResult, StreamEvent } from './stream.ts';
import type { RoomReader, SharedStream } from './stream-room.ts';

/** Events of one moment, the oldest first, which are one for all who ask. */
export class Arrivals {
  readonly events: readonly StreamEvent[];
  readonly #bytes: number;
  readonly #batches = new Map<SharedStream, Batch>();

  /** `bytes` are what they take of their caller's room for as long as some stream waits for them. */
  constructor(events: readonly StreamEvent[], bytes: number) {
    this.events = events;
    this.#bytes = bytes;
  }

  /** Their results in a stream, which all of its readers share. */
  in(stream: SharedStream): Batch {
    const known = this.#batches.get(stream);
    if (known !== undefined) return known;
    if (this.#batches.size === 0) stream.room.hold('deliveries', this.#bytes);
    const batch = new Batch(stream, this);
    this.#batches.set(stream, batch);
    return batch;
  }

  /** Nobody in a stream waits for them any more. */
  leave(stream: SharedStream): void {
    this.#batches.delete(stream);
    if (this.#batches.size === 0) stream.room.release('deliveries', this.#bytes);
  }
}

/** The failure that ends streams, as their last arrival. It takes no room. */
export function endingWith(failure: Error): Arrivals {
  return new Arrivals([failure], 0);
}

/**
 * Arrivals of one moment with their results: each is made when the first reader can write it, and kept until the last one that waits
 * for it has taken it. Readers wait for a batch, not for each event: 1,100 events for 2,500 readers hold others up for 6 ms, not 230.
 */
export class Batch {
  readonly arrivals: Arrivals;
  readonly #stream: SharedStream;
  readonly #results: (EventResult | Promise<EventResult> | undefined)[] = [];
  /** How many readers wait for each. */
  readonly #wanted: Uint32Array;

  constructor(stream: SharedStream, arrivals: Arrivals) {
    this.#stream = stream;
    this.arrivals = arrivals;
    this.#wanted = new Uint32Array(arrivals.events.length);
  }

  /** A reader begins to wait for all of them. */
  join(): void {
    for (let index = 0; index < this.#wanted.length; index++) this.#wanted[index]!++;
  }

  /** A reader waits for some of them no more: the next ones, or all that it has not taken. */
  move(from: number, to = this.#wanted.length): void {
    for (let index = from; index < to; index++) if (--this.#wanted[index]! === 0) this.#forget(index);
    // Readers take them in their order.
    if (this.#wanted.at(-1) === 0) this.arrivals.leave(this.#stream);
  }

  /** The result at an index; null where it is being made, or where there is no room for it. The reader is woken then. */
  resultAt(index: number, reader: RoomReader): EventResult | null {
    const result = this.#results[index] ?? this.#make(index, reader);
    if (!(result instanceof Promise)) return result;
    void result.then(() => reader.wake());
    return null;
  }

  #make(index: number, reader: RoomReader): EventResult | Promise<EventResult> | null {
    const event = this.arrivals.events[index] as StreamEvent;
    if (!(event instanceof Error || this.#stream.room.allows(reader))) return null;
    const result = this.#stream.execute(event, reader);
    if (!(result instanceof Promise)) return this.#keep(index, result);
    const made: Promise<EventResult> = result.then((done) =>
      // Nobody may want it any more.
      this.#results[index] === made ? this.#keep(index, done) : done,
    );
    return (this.#results[index] = made);
  }

  #keep(index: number, result: EventResult): EventResult {
    this.#stream.room.hold('results', result.bytes);
    return (this.#results[index] = result);
  }

  #forget(index: number): void {
    const result = this.#results[index];
    this.#results[index] = undefined;
    if (result !== undefined && !(result instanceof Promise)) this.#stream.room.release('results', result.bytes);
  }
}
