import { expect, test } from 'vitest';
import { FreeFormText } from '../../../src/json.ts';
import type { StreamReader } from '../../../src/live/stream-reader.ts';
import {
  Reading,
  StreamRooms,
  weightOf,
  type CallerRoom,
  bufferCallerPart,
  blockedMs,
  deliveryWeight,
  valueWeight,
} from '../../../src/live/stream-room.ts';

// The bounds of what waits for readers, to the byte. All of a room is 8,000 bytes, of which one caller may fill 2,000.
const most = 8_000;
const share = most / bufferCallerPart;

interface Fake {
  readonly position: number;
  blockedMs: number;
  ended: number;
  woken: number;
  cutOff: number;
}

/** A reader whose end frees `bytes` of its room. */
function fake(room: CallerRoom, position = Infinity, blocked = 0, bytes = 0): Fake & StreamReader {
  const reader = {
    position,
    blockedMs: blocked,
    ended: 0,
    woken: 0,
    cutOff: 0,
    giveWay(mostBytes: number) {
      expect(mostBytes).toBe(share);
      reader.ended += 1;
      reader.blockedMs = 0;
      room.releaseResult(bytes);
    },
    wake: () => (reader.woken += 1),
    destroy: () => (reader.cutOff += 1),
  };
  room.add(reader as unknown as StreamReader);
  return reader as unknown as Fake & StreamReader;
}

const ended = (readers: readonly Fake[]): number[] => readers.map((reader) => reader.ended);
const woken = (readers: readonly Fake[]): number[] => readers.map((reader) => reader.woken);

test('a caller may fill its share with results, and waits for the byte that is too many', () => {
  const room = new StreamRooms(most).of('a');
  const reader = fake(room);
  room.holdResult(share - 1);
  expect(room.allows(reader)).toBe(true);
  room.holdResult(1);
  expect([room.bytes, room.allows(reader)]).toEqual([share, false]);
  expect(reader.woken).toBe(0);
  room.releaseResult(1);
  expect([reader.woken, room.allows(reader)]).toEqual([1, true]);
  // It is woken once for what it has waited for.
  room.releaseResult(1);
  expect(reader.woken).toBe(1);
});

test('where deliveries alone take all the room, results are made one by one', () => {
  const room = new StreamRooms(most).of('a');
  const reader = fake(room);
  room.hold(share);
  expect(room.allows(reader)).toBe(true);
  room.holdResult(10);
  expect(room.allows(reader)).toBe(false);
  room.releaseResult(10);
  expect([reader.woken, room.bytes, room.allows(reader)]).toEqual([1, share, true]);
});

test('streams end whose readers are slow and further behind, the furthest first, and no more than it takes', () => {
  const room = new StreamRooms(most).of('a');
  const [asking, ahead, level, quick, behind, furthest] = [
    fake(room, 5),
    fake(room, 6, blockedMs, 900),
    fake(room, 5, blockedMs, 900),
    fake(room, 1, blockedMs - 1, 900),
    fake(room, 3, blockedMs, 900),
    fake(room, 2, blockedMs, 900),
  ] as const;
  room.holdResult(share);
  expect(room.allows(asking)).toBe(true);
  const all = [asking, ahead, level, quick, behind, furthest];
  expect(ended(all)).toEqual([0, 0, 0, 0, 0, 1]);
  room.holdResult(2_700);
  // Two more end before there is room, but one of them is as far as the reader that asks.
  expect(room.allows(asking)).toBe(false);
  expect(ended(all)).toEqual([0, 0, 0, 0, 1, 1]);
});

test('a caller that has filled its share makes room at its own cost alone, and not by streams that are ahead', () => {
  const rooms = new StreamRooms(most);
  const [own, other] = [rooms.of('own'), rooms.of('other')];
  const readers = [fake(own, 6, blockedMs, 900), fake(other, 1, blockedMs, 900)];
  other.holdResult(share + 1);
  own.holdResult(share);
  expect(own.allows(fake(own, 5))).toBe(false);
  expect(ended(readers)).toEqual([0, 0]);
});

test('of streams that are equally far behind no more end than it takes', () => {
  const room = new StreamRooms(most).of('a');
  const readers = [1, 1, 1, 1].map((position) => fake(room, position, blockedMs, 100));
  room.holdResult(share + 100);
  expect(room.allows(fake(room, 2))).toBe(true);
  expect(ended(readers)).toEqual([1, 1, 0, 0]);
});

test('where all callers fill the room together, a slow stream of the largest ends, wherever it stands', () => {
  const rooms = new StreamRooms(most);
  const [small, large, middle] = [rooms.of('small'), rooms.of('large'), rooms.of('middle')];
  const asking = fake(small, 1);
  const slow = fake(small, 0, blockedMs, 100);
  const readers = [fake(middle, 1, blockedMs, 100), fake(large, 7, blockedMs, 100), fake(large, 9, blockedMs - 1, 100)];
  small.holdResult(1_000);
  middle.holdResult(3_000);
  large.holdResult(4_000);
  expect(small.allows(asking)).toBe(true);
  expect(ended([slow, ...readers])).toEqual([0, 0, 1, 0]);
  // Nobody is slow there any more.
  large.holdResult(100);
  expect(small.allows(asking)).toBe(false);
  expect(ended([slow, ...readers])).toEqual([0, 0, 1, 0]);
  // What another caller frees wakes it.
  large.releaseResult(1);
  expect([asking.woken, small.allows(asking)]).toEqual([1, true]);
});

test('what becomes free wakes four of those that wait, in their order, and another attempt all of them', () => {
  const room = new StreamRooms(most).of('a');
  const readers = Array.from({ length: 10 }, () => fake(room));
  room.holdResult(share + 1);
  for (const reader of readers) expect(room.allows(reader)).toBe(false);
  room.releaseResult(1);
  expect(woken(readers)).toEqual(Array(10).fill(0));
  room.releaseResult(1);
  expect(woken(readers)).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
  // One that leaves lets others wake in its place; one that does not wait, or is not known, wakes nobody.
  room.delete(readers[0]!);
  expect(woken(readers)).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
  room.delete(readers[4]!);
  room.delete(readers[4]!);
  expect(woken(readers)).toEqual([1, 1, 1, 1, 0, 1, 1, 1, 1, 0]);
  room.holdResult(1);
  expect(room.allows(readers[1]!)).toBe(false);
  room.retry();
  expect(woken(readers)).toEqual([1, 2, 1, 1, 0, 1, 1, 1, 1, 1]);
});

test('a reading hands on as many deliveries as there is room for, and one at least where nothing waits', () => {
  const rooms = new StreamRooms(most);
  const room = rooms.of('a');
  expect(room.intake([])).toBe(0);
  expect(room.intake([400, 600])).toBe(2);
  expect(room.intake([400, 600, 1])).toBe(2);
  expect(room.intake([400, 601])).toBe(1);
  expect(room.intake([1_000])).toBe(1);
  expect(room.intake([1_001])).toBe(1);
  room.hold(1);
  expect(room.intake([1_000])).toBe(0);
  expect(room.intake([999, 1])).toBe(1);
  room.release(1);
  // Deliveries of all callers take half of all the room.
  rooms.of('b').hold(most / 2 - 300);
  expect(room.intake([300])).toBe(1);
  expect(room.intake([200, 101])).toBe(1);
});

test('for a reading slow streams of its caller end first, then those of the largest', () => {
  const rooms = new StreamRooms(most);
  const [own, other] = [rooms.of('own'), rooms.of('other')];
  const readers = [fake(own, 9, blockedMs, 500), fake(own, 8, blockedMs, 500), fake(other, 1, blockedMs, 2_000)];
  own.holdResult(600);
  // Half of its share holds 400 more.
  expect(own.intake([400])).toBe(1);
  expect(ended(readers)).toEqual([0, 0, 0]);
  expect(own.intake([300, 101])).toBe(2);
  expect([own.bytes, ...ended(readers)]).toEqual([100, 0, 1, 0]);
  other.holdResult(3_800);
  // Its own slow stream frees too little for all of it, so that the other's ends too.
  expect(own.intake([700])).toBe(1);
  expect(ended(readers)).toEqual([1, 1, 1]);
});

test('a reading larger than half of a share ends streams until that half is free, no more', () => {
  const room = new StreamRooms(most).of('a');
  const readers = [fake(room, 1, blockedMs, 100), fake(room, 2, blockedMs, 100)];
  room.holdResult(100);
  expect(room.intake([600, 600])).toBe(1);
  expect(ended(readers)).toEqual([1, 0]);
});

test('what streams that have given way still write has half of a share; those that did so first are cut off', () => {
  const room = new StreamRooms(most).of('a');
  const readers = [fake(room), fake(room), fake(room)] as const;
  const cutOff = (): number[] => readers.map((reader) => reader.cutOff);
  room.holdLast(readers[0], share / 4);
  room.holdLast(readers[1], share / 4);
  expect(cutOff()).toEqual([0, 0, 0]);
  room.holdLast(readers[2], 1);
  expect(cutOff()).toEqual([1, 0, 0]);
  // What has been written, or whose reader has gone, is free again; twice changes nothing.
  room.releaseLast(readers[1]);
  room.releaseLast(readers[1]);
  room.holdLast(readers[0], share / 2 - 1);
  expect(cutOff()).toEqual([1, 0, 0]);
  room.delete(readers[2]);
  room.holdLast(readers[1], 1);
  expect(cutOff()).toEqual([1, 0, 0]);
});

test('a room is kept for its caller as long as somebody uses it', () => {
  const rooms = new StreamRooms(most);
  const room = rooms.of('a');
  expect(rooms.of('b')).not.toBe(room);
  room.enter();
  const reader = fake(room);
  room.delete(reader);
  room.delete(reader);
  expect(rooms.of('a')).toBe(room);
  room.leave();
  expect(rooms.of('a')).not.toBe(room);
});

test('deliveries of one reading count once, from the first stream that waits for them to the last', () => {
  const room = new StreamRooms(most).of('a');
  const [first, second] = [new Reading(room), new Reading(room)];
  expect(second.number).toBe(first.number + 1);
  first.note(300);
  first.note(400);
  expect(room.bytes).toBe(0);
  first.hold();
  first.hold();
  expect(room.bytes).toBe(700);
  first.release();
  expect(room.bytes).toBe(700);
  first.release();
  expect(room.bytes).toBe(0);
});

test('a delivery weighs its texts, and something for each value', () => {
  expect(weightOf(null)).toBe(deliveryWeight + valueWeight);
  expect(weightOf({})).toBe(deliveryWeight + valueWeight);
  const delivery = {
    id: 'four',
    attempts: [{ status: 200 }, null],
    payload: new FreeFormText([Buffer.from('{"a"'), Buffer.from(':1}')], 1),
  };
  expect(weightOf(delivery)).toBe(deliveryWeight + 7 * valueWeight + 4 + 7);
});
