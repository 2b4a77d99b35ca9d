import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { writtenAtOnce } from '../../../src/bounds.ts';
import type { CancelSignal } from '../../../src/cancellation.ts';
import type { Arrivals } from '../../../src/live/event-ids.ts';
import { SharedStream } from '../../../src/live/shared-stream.ts';
import type { EventResult, StreamWriter, WrittenEvent } from '../../../src/live/stream.ts';
import { StreamReader, eventsAtOnce } from '../../../src/live/stream-reader.ts';
import { Reading, StreamRooms, type CallerRoom } from '../../../src/live/stream-room.ts';
import type { TimeSlices } from '../../../src/time-slices.ts';

// Readers of one stream and what they share, with writers whose connections take what is written when the test says so.

/** A slice has no end, and work that is added is done at once or when `run` is called. */
class Slices {
  readonly #waiting: (() => void)[] = [];
  isOver = false;
  add(work: () => void): void {
    this.#waiting.push(work);
  }
  run(): void {
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) work();
  }
}

/** What was written to one connection, in the parts in which it was written. */
class Connection implements StreamWriter {
  readonly parts: string[][] = [];
  state: 'open' | 'ended' | 'destroyed' = 'open';
  #taken: (() => void) | null = null;
  write(events: readonly WrittenEvent[], taken: () => void): void {
    if (this.#taken !== null) throw new Error('It is written to before it has taken what came before.');
    this.parts.push(events.map(({ eventId, result }) => `${eventId()} ${textOf(result)}`));
    this.#taken = taken;
  }
  /** The connection takes what is under way; false where nothing is. */
  take(): boolean {
    const taken = this.#taken;
    this.#taken = null;
    taken?.();
    return taken !== null;
  }
  end(): void {
    this.state = 'ended';
  }
  destroy(): void {
    this.state = 'destroyed';
  }
}

const textOf = ({ parts }: EventResult): string => parts.map(String).join('');
const resultOf = (text: string, bytes = text.length, isLast = false): EventResult => ({
  parts: [Buffer.from(text)],
  bytes,
  errorCodes: [],
  isLast,
});

interface Setting {
  readonly mostWaiting?: number;
  /** Makes the result of a delivery by its name; by itself its name. */
  readonly make?: (name: string) => EventResult | Promise<EventResult>;
}

/** The room of one caller, whose readers all follow one stream. */
class World {
  readonly rooms = new StreamRooms(4_000_000);
  readonly room = this.rooms.of('caller');
  readonly slices = new Slices();
  /** What was executed, by name. */
  readonly executed: string[] = [];
  readonly streams = new Map<string, SharedStream>();
  readonly ended: StreamReader[] = [];
  signal: CancelSignal | null = null;
  readonly #make: NonNullable<Setting['make']>;
  readonly #options;

  constructor({ mostWaiting = 1_000, make = resultOf }: Setting = {}) {
    this.#make = make;
    this.#options = { room: this.room, slices: this.slices as unknown as TimeSlices, mostWaiting };
  }

  /** A reader that has not joined the stream yet. */
  newReader(): StreamReader {
    const reader: StreamReader = new StreamReader(
      this.#options,
      (key, execute) => this.#streamOf(key, execute),
      () => this.ended.push(reader),
    );
    return reader;
  }

  #streamOf(key: string, execute: ConstructorParameters<typeof SharedStream>[1]): SharedStream {
    const stream = this.streams.get(key) ?? new SharedStream(this.#options, execute, () => this.streams.delete(key));
    this.streams.set(key, stream);
    return stream;
  }

  join(reader: StreamReader): Connection {
    const connection = new Connection();
    reader.join(
      'key',
      (event, _writer, signal) => {
        this.signal = signal;
        const name = event instanceof Error ? event.message : (event as unknown as { readonly name: string }).name;
        this.executed.push(name);
        return this.#make(name);
      },
      connection,
    );
    this.slices.run();
    return connection;
  }

  /** A reader that has joined, and its connection. */
  follow(): { readonly reader: StreamReader; readonly connection: Connection } {
    const reader = this.newReader();
    return { reader, connection: this.join(reader) };
  }

  /** Writes all that can be written, and lets the connections take it. */
  drain(...connections: Connection[]): void {
    do this.slices.run();
    while (connections.map((connection) => connection.take()).includes(true));
  }

  arrivals(...names: string[]): Arrivals {
    return arrivalsOf(this.room, names);
  }
}

/** Each delivery takes a byte. */
function arrivalsOf(room: CallerRoom, names: readonly string[]): Arrivals {
  const reading = new Reading(room);
  reading.note(names.length);
  return {
    length: names.length,
    reading,
    at: (index) =>
      names[index] === undefined ? undefined : ({ name: names[index], eventId: () => `#${names[index]}` } as never),
  };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `d${index}`);

describe('a reader of a stream', () => {
  test('is written what came before it joined and behind it, in order, one part at a time', () => {
    const world = new World();
    const reader = world.newReader();
    reader.push(world.arrivals('a', 'b'));
    reader.push(world.arrivals());
    const connection = world.join(reader);
    reader.push(world.arrivals('c'));
    world.slices.run();
    expect(connection.parts).toEqual([['#a a', '#b b']]);
    expect(reader.eventId()).toBe('');
    connection.take();
    expect(reader.eventId()).toBe('#b');
    world.drain(connection);
    expect(connection.parts).toEqual([['#a a', '#b b'], ['#c c']]);
    expect(reader.eventId()).toBe('#c');
    expect(world.room.bytes).toBe(0);
  });

  test('is written a bounded number of events at a time', () => {
    const world = new World();
    const { reader, connection } = world.follow();
    reader.push(world.arrivals(...numbered(2 * eventsAtOnce + 1)));
    world.drain(connection);
    expect(connection.parts.map(({ length }) => length)).toEqual([eventsAtOnce, eventsAtOnce, 1]);
    expect(connection.parts.flat()).toEqual(numbered(2 * eventsAtOnce + 1).map((name) => `#${name} ${name}`));
  });

  test('is written a bounded number of bytes at a time, with the event that goes beyond', () => {
    const half = writtenAtOnce / 2;
    const sizes: Readonly<Record<string, number>> = { a: half, b: half - 1, c: 1, d: writtenAtOnce, e: 1 };
    const world = new World({ make: (name) => resultOf(name, sizes[name]) });
    const { reader, connection } = world.follow();
    reader.push(world.arrivals('a', 'b', 'c', 'd', 'e'));
    world.drain(connection);
    expect(connection.parts).toEqual([['#a a', '#b b', '#c c'], ['#d d'], ['#e e']]);
  });

  test('is written one event a slice where slices are over', () => {
    const world = new World();
    const { reader, connection } = world.follow();
    world.slices.isOver = true;
    reader.push(world.arrivals('a', 'b'));
    world.drain(connection);
    expect(connection.parts).toEqual([['#a a'], ['#b b']]);
  });

  test('waits for a result that is being made, and for what stands before it', async () => {
    const made = Promise.withResolvers<EventResult>();
    const world = new World({ make: (name) => (name === 'b' ? made.promise : resultOf(name)) });
    const { reader, connection } = world.follow();
    reader.push(world.arrivals('a', 'b', 'c'));
    world.drain(connection);
    expect(connection.parts).toEqual([['#a a']]);
    made.resolve(resultOf('B'));
    await made.promise;
    await Promise.resolve();
    world.drain(connection);
    expect(connection.parts).toEqual([['#a a'], ['#b B', '#c c']]);
  });

  test('ends behind what was waiting when it is told to, once', () => {
    const world = new World();
    const { reader, connection } = world.follow();
    reader.push(world.arrivals('a'));
    reader.end();
    reader.end(new Error('twice'));
    reader.push(world.arrivals('late'));
    world.slices.run();
    expect([connection.parts, connection.state, world.ended.length]).toEqual([[['#a a']], 'open', 1]);
    world.drain(connection);
    expect([connection.parts, connection.state]).toEqual([[['#a a']], 'ended']);
    expect([world.streams.size, world.signal?.aborted]).toEqual([0, true]);
  });

  test('ends with its failure as the last event, which has the id of the one before', () => {
    const world = new World();
    const { reader, connection } = world.follow();
    reader.push(world.arrivals('a'));
    reader.end(new Error('failure'));
    world.drain(connection);
    expect([connection.parts, connection.state]).toEqual([[['#a a'], ['#a failure']], 'ended']);
  });

  test('ends behind the result of an execution that has failed as a whole', () => {
    const world = new World({ make: (name) => resultOf(name, 1, name === 'b') });
    const { reader, connection } = world.follow();
    reader.push(world.arrivals('a', 'b', 'c'));
    reader.push(world.arrivals('d'));
    world.drain(connection);
    expect([connection.parts, connection.state]).toEqual([[['#a a', '#b b']], 'ended']);
    expect([reader.eventId(), world.ended.length, world.room.bytes]).toEqual(['', 1, 0]);
  });

  test('that has joined nothing yet ends as soon as it joins', () => {
    const world = new World();
    const reader = world.newReader();
    reader.end();
    expect(world.join(reader).state).toBe('ended');
  });

  test('leaves at once, with nothing written any more, and leaves no trace', () => {
    const world = new World();
    const [leaving, early] = [world.newReader(), world.newReader()];
    const connection = world.join(leaving);
    leaving.push(world.arrivals('a', 'b'));
    world.slices.run();
    leaving.push(world.arrivals('c'));
    leaving.leave();
    leaving.leave();
    early.push(world.arrivals('x'));
    early.leave();
    world.drain(connection);
    expect([connection.parts, connection.state]).toEqual([[['#a a', '#b b']], 'ended']);
    expect([world.ended, world.streams.size, world.room.bytes]).toEqual([[leaving, early], 0, 0]);
    expect(world.join(early).parts).toEqual([]);
  });
});

describe('a reader that is too far behind', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('ends with an error when more comes, where it has taken nothing since more came last', () => {
    const world = new World({ mostWaiting: 4 });
    const { reader, connection } = world.follow();
    reader.push(world.arrivals('a'));
    world.slices.run();
    // Not stuck yet, however much there is.
    reader.push(world.arrivals('b', 'c', 'd'));
    // Just as many as may wait.
    reader.push(world.arrivals('e'));
    expect(world.ended).toEqual([]);
    reader.push(world.arrivals('f'));
    expect(world.ended).toEqual([reader]);
    world.drain(connection);
    expect(connection.parts).toHaveLength(2);
    expect(connection.parts[1]?.[0]).toContain('#a More than 4 deliveries were waiting to be read when more came.');
    expect([connection.state, world.room.bytes]).toEqual(['ended', 0]);
  });

  test('goes on where it has taken something meanwhile, and what it has taken does not count', () => {
    const world = new World({ mostWaiting: 2 });
    const { reader, connection } = world.follow();
    world.slices.isOver = true;
    reader.push(world.arrivals('a', 'b', 'c', 'd'));
    for (const name of ['e', 'f', 'g']) {
      world.slices.run();
      connection.take();
      world.slices.run();
      reader.push(world.arrivals(name));
    }
    expect(world.ended).toEqual([]);
    world.drain(connection);
    expect(connection.parts.flat()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `#${name} ${name}`));
  });

  test('is known by the reading that it waits for, the part of it that it has taken, and for how long', () => {
    const world = new World();
    const { reader, connection } = world.follow();
    expect([reader.position, reader.blockedMs]).toEqual([Infinity, 0]);
    world.slices.isOver = true;
    const [first, second] = [world.arrivals('a', 'b', 'c', 'd'), world.arrivals('e')];
    reader.push(first);
    reader.push(second);
    world.slices.run();
    expect([reader.position, reader.blockedMs]).toEqual([first.reading.number, 0]);
    vi.advanceTimersByTime(500);
    expect(reader.blockedMs).toBe(500);
    connection.take();
    // What it has waited counts until it has taken all of a reading.
    expect([reader.position, reader.blockedMs]).toEqual([first.reading.number + 0.25, 500]);
    vi.advanceTimersByTime(100);
    expect(reader.blockedMs).toBe(500);
    world.slices.run();
    vi.advanceTimersByTime(100);
    expect(reader.blockedMs).toBe(600);
    for (let taken = 0; taken < 3; taken++) {
      connection.take();
      world.slices.run();
    }
    expect([reader.position, reader.blockedMs]).toEqual([second.reading.number, 0]);
  });

  test('gives way with an error, and its last bytes are held until they are taken', () => {
    const world = new World();
    const { reader, connection } = world.follow();
    const held = vi.spyOn(world.room, 'holdLast');
    reader.push(world.arrivals('abc', 'de'));
    world.slices.run();
    reader.giveWay(77);
    expect(held).toHaveBeenCalledWith(reader, 5);
    expect(world.room.bytes).toBe(0);
    reader.destroy();
    expect(connection.state).toBe('destroyed');
    world.drain(connection);
    expect(connection.parts[1]?.[0]).toContain('Streams of this API key had 77 bytes waiting to be read');
  });
});

describe('readers of one stream', () => {
  test('share each result, which is kept until the last of them has taken it', () => {
    const world = new World();
    const readers = [world.newReader(), world.newReader()];
    const [fast, slow] = readers.map((reader) => world.join(reader)) as [Connection, Connection];
    const arrivals = world.arrivals('abc', 'de');
    for (const reader of readers) reader.push(arrivals);
    world.drain(fast);
    // The two deliveries, and the five bytes of their results.
    expect([fast.parts, world.executed, world.room.bytes]).toEqual([[['#abc abc', '#de de']], ['abc', 'de'], 2 + 5]);
    world.drain(slow);
    expect([slow.parts, world.executed, world.room.bytes]).toEqual([fast.parts, ['abc', 'de'], 0]);
  });

  test('execute nothing again for one who joins while others are in the middle', () => {
    const world = new World();
    const [first, second] = [world.newReader(), world.newReader()] as const;
    const connection = world.join(first);
    world.slices.isOver = true;
    const arrivals = world.arrivals('a', 'b', 'c');
    first.push(arrivals);
    second.push(arrivals);
    world.slices.run();
    const other = world.join(second);
    world.drain(connection, other);
    expect([connection.parts.flat(), other.parts.flat()]).toEqual([
      ['#a a', '#b b', '#c c'],
      ['#a a', '#b b', '#c c'],
    ]);
    expect([world.executed, world.room.bytes]).toEqual([['a', 'b', 'c'], 0]);
  });

  test('are told a failure by one execution, and the last of them aborts what they share', () => {
    const world = new World();
    const readers = [world.newReader(), world.newReader()];
    const connections = readers.map((reader) => world.join(reader)) as [Connection, Connection];
    readers[0]!.push(world.arrivals('a'));
    const failure = new Error('failure');
    for (const reader of readers) reader.end(failure);
    world.drain(connections[1]);
    expect(connections.map(({ state }) => state)).toEqual(['open', 'ended']);
    expect([world.streams.size, world.signal?.aborted]).toEqual([1, false]);
    world.drain(...connections);
    expect(connections.map(({ parts }) => parts)).toEqual([[['#a a'], ['#a failure']], [[' failure']]]);
    expect(world.executed).toEqual(['a', 'failure']);
    expect([world.streams.size, world.signal?.aborted]).toEqual([0, true]);
  });

  test('hold what one of them has still to take when another leaves, and nothing when all have left', () => {
    const world = new World();
    const [leaving, staying, last] = [world.newReader(), world.newReader(), world.newReader()] as const;
    const connections = [leaving, staying, last].map((reader) => world.join(reader)) as [
      Connection,
      Connection,
      Connection,
    ];
    const arrivals = world.arrivals('abc', 'de');
    for (const reader of [leaving, staying, last]) reader.push(arrivals);
    world.slices.run();
    leaving.leave();
    expect(world.room.bytes).toBe(2 + 5);
    world.drain(connections[1]);
    expect([connections[1].parts, world.room.bytes]).toEqual([[['#abc abc', '#de de']], 2 + 5]);
    last.leave();
    expect([world.executed, world.room.bytes]).toEqual([['abc', 'de'], 0]);
    // Its caller's room is kept for as long as somebody reads.
    expect(world.rooms.of('caller')).toBe(world.room);
    staying.leave();
    expect(world.rooms.of('caller')).not.toBe(world.room);
  });

  test('count no result that is made when nobody wants it any more', async () => {
    const made = Promise.withResolvers<EventResult>();
    const world = new World({ make: () => made.promise });
    const reader = world.newReader();
    world.join(reader);
    reader.push(world.arrivals('a'));
    world.slices.run();
    expect(world.room.bytes).toBe(1);
    reader.leave();
    made.resolve(resultOf('late'));
    await made.promise;
    await Promise.resolve();
    expect(world.room.bytes).toBe(0);
  });

  test('are all woken by a failure that takes time to be told', async () => {
    const made = Promise.withResolvers<EventResult>();
    const world = new World({ make: () => made.promise });
    const readers = [world.newReader(), world.newReader()];
    const connections = readers.map((reader) => world.join(reader)) as [Connection, Connection];
    const failure = new Error('failure');
    for (const reader of readers) reader.end(failure);
    world.drain(...connections);
    expect(connections.map(({ parts }) => parts)).toEqual([[], []]);
    made.resolve(resultOf('told'));
    await made.promise;
    await Promise.resolve();
    world.drain(...connections);
    expect(connections.map(({ parts, state }) => [parts, state])).toEqual([
      [[[' told']], 'ended'],
      [[[' told']], 'ended'],
    ]);
    expect(world.executed).toEqual(['failure']);
  });

  test('wait where there is no room, and go on when there is', () => {
    const world = new World({ make: (name) => resultOf(name, 600_000) });
    const readers = [world.newReader(), world.newReader()];
    const connections = readers.map((reader) => world.join(reader)) as [Connection, Connection];
    world.slices.isOver = true;
    readers[0]!.push(world.arrivals('a', 'b'));
    readers[1]!.push(world.arrivals('c'));
    world.room.holdResult(600_000);
    world.slices.run();
    expect(connections.map(({ parts }) => parts)).toEqual([[['#a a']], []]);
    world.room.releaseResult(600_000);
    world.drain(...connections);
    expect(connections.map(({ parts }) => parts.flat())).toEqual([['#a a', '#b b'], ['#c c']]);
    expect(world.room.bytes).toBe(0);
  });
});
