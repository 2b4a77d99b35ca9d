import { CancelSource } from '../cancellation.ts';
import type { TimeSlices } from '../time-slices.ts';
import type { Arrivals } from './event-ids.ts';
import type { EventResult, Execute, StreamEvent, StreamWriter } from './stream.ts';
import type { CallerRoom, RoomReader } from './stream-room.ts';

/** What all streams have in common. */
export interface StreamOptions {
  readonly room: CallerRoom;
  readonly slices: TimeSlices;
  /** How many deliveries may wait for one reader when more come. */
  readonly mostWaiting: number;
}

/** A result, null while it is being made, and who waits for it. */
interface Entry {
  result: EventResult | null;
  readonly waiting: RoomReader[];
}

function newEntry(): Entry {
  return { result: null, waiting: [] };
}

/**
 * One subscription that is executed once for all streams that ask the same. An event is executed when the first of them can write it,
 * and its bytes are kept until the last of them has written it.
 */
export class SharedStream {
  readonly options: StreamOptions;
  readonly #execute: Execute<StreamWriter>;
  readonly #whenEmpty: () => void;
  readonly #cancel = new CancelSource();
  readonly #readers = new Map<RoomReader, StreamWriter>();
  readonly #batches = new Map<Arrivals, Batch>();
  readonly #failures = new WeakMap<Error, Entry>();

  constructor(options: StreamOptions, execute: Execute<StreamWriter>, whenEmpty: () => void) {
    this.options = options;
    this.#execute = execute;
    this.#whenEmpty = whenEmpty;
  }

  add(reader: RoomReader, writer: StreamWriter): void {
    this.#readers.set(reader, writer);
    this.options.room.add(reader);
  }

  remove(reader: RoomReader): void {
    if (!this.#readers.delete(reader)) return;
    this.options.room.delete(reader);
    if (this.#readers.size > 0) return;
    this.#whenEmpty();
    this.#cancel.abort(new Error('Nobody reads the stream any more.'));
  }

  /** The batch of some arrivals, which all readers share. */
  batchOf(arrivals: Arrivals): Batch {
    const known = this.#batches.get(arrivals);
    if (known !== undefined) return known;
    const batch = new Batch(this, arrivals, () => this.#batches.delete(arrivals));
    this.#batches.set(arrivals, batch);
    return batch;
  }

  /** The result of a failure; null where it is being made. The reader is woken then. */
  failureResult(failure: Error, reader: RoomReader): EventResult | null {
    const known = this.#failures.get(failure);
    const entry = known ?? newEntry();
    if (known === undefined) {
      this.#failures.set(failure, entry);
      this.execute(failure, reader, entry, () => {});
    }
    if (entry.result === null) entry.waiting.push(reader);
    return entry.result;
  }

  /** Executes an event. `whenMade` runs when its result is there. */
  execute(event: StreamEvent, reader: RoomReader, entry: Entry, whenMade: (result: EventResult) => void): void {
    const note = (result: EventResult): void => {
      entry.result = result;
      whenMade(result);
      for (const waiting of entry.waiting.splice(0)) waiting.wake();
    };
    const result = this.#execute(event, this.#readers.get(reader) as StreamWriter, this.#cancel);
    if (result instanceof Promise) void result.then(note);
    else note(result);
  }
}

/** Arrivals of one moment with their results, each of which is kept until the last reader that waits for it has taken it. */
export class Batch {
  readonly arrivals: Arrivals;
  readonly #stream: SharedStream;
  readonly #whenEmpty: () => void;
  readonly #entries: (Entry | undefined)[] = [];
  /** How many readers wait for each. */
  readonly #wanted: Uint32Array;
  #size = 0;

  constructor(stream: SharedStream, arrivals: Arrivals, whenEmpty: () => void) {
    this.#stream = stream;
    this.arrivals = arrivals;
    this.#whenEmpty = whenEmpty;
    this.#wanted = new Uint32Array(arrivals.length);
    arrivals.reading.hold();
  }

  /** A reader begins to wait for all of them. */
  join(): void {
    this.#size++;
    for (let index = 0; index < this.arrivals.length; index++) this.#wanted[index]!++;
  }

  /** A reader has taken some of them. */
  move(from: number, to: number): void {
    for (let index = from; index < to; index++) if (--this.#wanted[index]! === 0) this.#forget(index);
  }

  /** A reader that has taken so many of them waits for no more. */
  leave(taken: number): void {
    this.move(taken, this.arrivals.length);
    if (--this.#size > 0) return;
    this.#whenEmpty();
    this.arrivals.reading.release();
  }

  /** The result at an index; null where it is being made, or where there is no room for it. The reader is woken then. */
  resultAt(index: number, reader: RoomReader): EventResult | null {
    const entry = this.#entries[index] ?? this.#begin(index, reader);
    if (entry?.result === null) entry.waiting.push(reader);
    return entry?.result ?? null;
  }

  #begin(index: number, reader: RoomReader): Entry | null {
    const { room } = this.#stream.options;
    const arrival = this.arrivals.at(index);
    if (arrival === undefined || !room.allows(reader)) return null;
    const entry = newEntry();
    this.#entries[index] = entry;
    this.#stream.execute(arrival, reader, entry, ({ bytes }) => {
      // Nobody may want it any more.
      if (this.#entries[index] === entry) room.holdResult(bytes);
    });
    return entry;
  }

  #forget(index: number): void {
    const result = this.#entries[index]?.result;
    this.#entries[index] = undefined;
    if (result != null) this.#stream.options.room.releaseResult(result.bytes);
  }
}
