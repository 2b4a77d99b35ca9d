import { expect, test } from 'vitest';
import { StreamRooms, type CallerRoom } from '../../../src/live/stream-room.ts';

// A caller may fill 2,000 of 8,000 bytes. A reader is slow who was blocked for 5 s.

/** A reader whose end frees 500 bytes. */
function readerIn(room: CallerRoom, position: number, blockedMs: number) {
  const reader = {
    position,
    blockedMs,
    hasEnded: false,
    giveWay: () => {
      reader.hasEnded = true;
      room.release(500);
    },
  };
  room.add(reader);
  return reader;
}

test('a caller who has filled a share gets nothing new until something is free', () => {
  const room = new StreamRooms(8_000).of('a');
  room.hold(2_000);
  expect(room.hasRoom()).toBe(false);
  room.release(1);
  expect(room.hasRoom()).toBe(true);
});

test('over a share the slow stream that is furthest behind ends, and no more than it takes', () => {
  const room = new StreamRooms(8_000).of('a');
  const streams = [
    readerIn(room, 1, 4_999),
    readerIn(room, 3, 5_000),
    readerIn(room, 2, 5_000),
    readerIn(room, 6, 5_000),
    readerIn(room, Infinity, 5_000),
  ];
  room.hold(2_000);
  expect(room.hasRoom()).toBe(true);
  expect(streams.map(({ hasEnded }) => hasEnded)).toEqual([false, false, true, false, false]);
});

test('a full room costs slow streams of the caller with most in it, and nobody else', () => {
  const rooms = new StreamRooms(8_000);
  const callers = ['a', 'b', 'c', 'd', 'e'].map((name) => rooms.of(name));
  const slow = callers.map((room) => readerIn(room, 1, 5_000));
  for (const [index, room] of callers.entries()) room.hold([1_900, 1_900, 3_000, 1_200, 1][index] as number);
  expect(callers[4]?.hasRoom()).toBe(true);
  expect(slow.map(({ hasEnded }) => hasEnded)).toEqual([false, false, true, false, false]);
});

test('a caller of whom nothing waits has room, whatever others fill', () => {
  const rooms = new StreamRooms(8_000);
  for (const name of ['a', 'b', 'c', 'd']) rooms.of(name).hold(2_000);
  expect(rooms.of('e').hasRoom()).toBe(true);
});
