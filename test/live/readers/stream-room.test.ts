import { expect, test } from 'vitest';
import { Arrivals, endingWith } from '../../../src/live/arrivals.ts';
import type { EventResult, StreamEvent, StreamWriter } from '../../../src/live/stream.ts';
import { StreamRooms, type CallerRoom } from '../../../src/live/stream-room.ts';

// A caller may fill 2,000 of 8,000 bytes, half of them with deliveries and half with results. A reader is slow who was blocked for 5 s.

/** A reader whose end frees 500 bytes of results. */
function readerIn(room: CallerRoom, blockedMs: number) {
  const reader = {
    blockedMs,
    hasEnded: false,
    isWoken: false,
    wake: () => (reader.isWoken = true),
    giveWay: () => {
      reader.hasEnded = true;
      room.release('results', 500);
    },
  };
  room.add(reader);
  return reader;
}

test('a reader whose caller has filled its share waits until something is free', () => {
  const room = new StreamRooms(8_000).of('a');
  const reader = readerIn(room, 0);
  room.hold('results', 999);
  expect(room.allows(reader)).toBe(true);
  room.hold('results', 1);
  expect(room.allows(reader)).toBe(false);
  room.release('results', 1);
  expect([reader.isWoken, room.allows(reader)]).toEqual([true, true]);
});

test('results are made once, as there is room for them, and the end of streams without', () => {
  const room = new StreamRooms(8_000).of('a');
  const made: StreamEvent[] = [];
  const execute = (event: StreamEvent) => (made.push(event), { bytes: 600 } as EventResult);
  const stream = room.streamOf('key', execute);
  const reader = readerIn(room, 0);
  stream.add(reader, {} as StreamWriter);
  const arrivals = new Arrivals(
    Array.from({ length: 3 }, () => ({}) as StreamEvent),
    100,
  );
  const batch = arrivals.in(stream);
  const isMade = (index: number): boolean => batch.resultAt(index, reader) !== null;
  batch.join();
  expect([isMade(0), isMade(1), isMade(2), reader.isWoken]).toEqual([true, true, false, false]);
  batch.move(0, 1);
  expect([reader.isWoken, isMade(1), isMade(2)]).toEqual([true, true, true]);
  expect(endingWith(new Error('It ends.')).in(stream).resultAt(0, reader)).not.toBeNull();
  expect(made).toHaveLength(4);
  batch.join();
  batch.move(1);
  expect(arrivals.in(stream)).toBe(batch);
  batch.move(0);
  expect(room.bytes.deliveries).toBe(0);
});

test('over a share the streams of slow readers end, and no others', () => {
  const room = new StreamRooms(8_000).of('a');
  const asking = readerIn(room, 5_000);
  const others = [readerIn(room, 4_999), readerIn(room, 5_000), readerIn(room, 0)];
  room.hold('results', 1_000);
  expect(room.allows(asking)).toBe(true);
  expect([asking, ...others].map(({ hasEnded }) => hasEnded)).toEqual([false, false, true, false]);
});

test('a full room costs slow streams of the caller with most in it, and nobody else', () => {
  const rooms = new StreamRooms(8_000);
  const callers = ['a', 'b', 'c', 'd', 'e'].map((name) => rooms.of(name));
  const slow = callers.map((room) => readerIn(room, 5_000));
  for (const [index, room] of callers.entries()) room.hold('results', [700, 700, 1_900, 699, 1][index] as number);
  expect(callers[4]?.allows(readerIn(callers[4], 0))).toBe(true);
  expect(slow.map(({ hasEnded }) => hasEnded)).toEqual([false, false, true, false, false]);
});

test('a caller of whom nothing waits may always make one result and hand on one delivery, whatever others fill', () => {
  const rooms = new StreamRooms(8_000);
  for (const name of ['a', 'b', 'c', 'd']) rooms.of(name).hold('results', 1_000);
  for (const name of ['a', 'b', 'c', 'd']) rooms.of(name).hold('deliveries', 1_000);
  const room = rooms.of('e');
  expect(room.allows(readerIn(room, 0))).toBe(true);
  expect(room.intake([3_000, 10])).toBe(1);
});

test.for([
  [[400, 599, 1, 1], 3],
  [[400, 601, 1], 2],
  [[1_001, 1], 1],
  [[], 0],
] as const)('of deliveries of %o bytes a reading hands on %i', ([weights, taken]) => {
  expect(new StreamRooms(8_000).of('a').intake(weights)).toBe(taken);
});
