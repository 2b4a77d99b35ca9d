import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type BodyHold, BodyRoom, bodyWeight } from '../../../src/upstream/response/body-room.ts';
import { callerOf } from '../client-harness.ts';

const mebibyte = 1_048_576;
const maxBodyBytes = 32 * mebibyte;
const mostBytes = 256 * mebibyte;
const waitMs = 2_000;
const unread = bodyWeight.unread + bodyWeight.read;
const createRoom = (): BodyRoom => new BodyRoom({ mostBytes, maxBodyBytes, waitMs });

/** A body that comes in steps, each as large as all before it, and is then read. */
class Reading {
  readonly hold: BodyHold;
  readonly #steps: number[];
  #room = 0;
  state: 'coming' | 'waiting' | 'read' | 'refused' | 'over' = 'coming';

  constructor(room: BodyRoom, identity: string, steps: readonly number[]) {
    this.hold = room.hold(identity);
    this.#steps = [...steps];
  }

  /** Takes the next step, if it may. */
  step(): void {
    if (this.state !== 'coming') return;
    const bytes = this.#steps.shift();
    if (bytes === undefined) {
      this.hold.read();
      this.state = 'read';
      return;
    }
    this.#room += bytes;
    this.state = 'waiting';
    const go = (): void => void (this.state = 'coming');
    const isThere = this.hold.grow({ bytes: this.#room, lists: 0 }, go, () => {
      this.state = 'refused';
      this.hold.release();
    });
    if (isThere) go();
  }

  end(): void {
    if (this.state === 'over' || this.state === 'refused') return;
    this.state = 'over';
    this.hold.release();
  }
}

const weightOf = (readings: readonly Reading[]): number => readings.reduce((sum, { hold }) => sum + hold.weight, 0);

const body = fc.record({
  who: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  // Told at once, or found out by and by.
  steps: fc.oneof(
    fc.integer({ min: mebibyte, max: maxBodyBytes }).map((bytes) => [bytes]),
    fc.array(fc.integer({ min: mebibyte, max: maxBodyBytes / 8 }), { minLength: 1, maxLength: 8 }),
  ),
});

describe('the room for large bodies', () => {
  test('is never exceeded, and becomes free again, whatever comes and goes', () => {
    vi.useFakeTimers();
    try {
      fc.assert(
        fc.property(
          fc.array(body, { minLength: 1, maxLength: 60 }),
          fc.array(fc.nat(), { maxLength: 400 }),
          (bodies, acts) => {
            const room = createRoom();
            const readings = bodies.map(({ who, steps }) => new Reading(room, who, steps));
            for (const act of acts) {
              const one = readings[act % readings.length];
              if (act % 7 === 0) one?.end();
              else one?.step();
              expect(weightOf(readings)).toBeLessThanOrEqual(mostBytes);
            }
            for (const one of readings) one.end();
            expect(weightOf(readings)).toBe(0);
            // Nothing waits any more, and nothing is missing.
            expect(vi.getTimerCount()).toBe(0);
            const next = new Reading(room, 'f', [maxBodyBytes]);
            next.step();
            expect(next.state).toBe('coming');
          },
        ),
        { numRuns: 300 },
      );
    } finally {
      vi.useRealTimers();
    }
  });

  test('admits all bodies that are released once read, in whatever order they come', () => {
    vi.useFakeTimers();
    try {
      fc.assert(
        fc.property(fc.array(body, { minLength: 1, maxLength: 60 }), fc.nat(), (bodies, seed) => {
          const room = createRoom();
          const readings = bodies.map(({ who, steps }) => new Reading(room, who, steps));
          // No timer runs: nobody may wait for those who wait for them.
          for (let round = 0; readings.some(({ state }) => state !== 'over'); round++) {
            expect(round).toBeLessThan(2_000);
            for (const index of readings.keys()) {
              const one = readings[(index * 31 + seed) % readings.length];
              one?.step();
              if (one?.state === 'read') one.end();
            }
          }
        }),
        { numRuns: 300 },
      );
    } finally {
      vi.useRealTimers();
    }
  });

  test('leaves as much as any caller has for callers who have nothing', () => {
    for (const callers of [1, 2, 3, 4]) {
      const room = createRoom();
      const held: Reading[] = [];
      for (let n = 0; n < 200; n++) {
        const one = new Reading(room, `busy ${n % callers}`, [2 * mebibyte]);
        one.step();
        if (one.state === 'waiting') one.end();
        else held.push(one);
      }
      const other = new Reading(room, 'other', [2 * mebibyte]);
      other.step();
      expect(other.state).toBe('coming');
      other.end();
      // Also for the largest, as soon as the one body has come that may go on whatever there is.
      const large = new Reading(room, 'other', [maxBodyBytes]);
      large.step();
      for (const one of held) one.step();
      expect(large.state).toBe('coming');
    }
  });

  test('is waited for no longer than a slot, and goes to the caller with the least first', () => {
    vi.useFakeTimers();
    try {
      const room = createRoom();
      const all = ['a', 'a', 'a', 'b'].map((who) => new Reading(room, who, [maxBodyBytes]));
      const states = () => all.map(({ state }) => state);
      for (const one of all) one.step();
      expect(states()).toEqual(['coming', 'coming', 'waiting', 'waiting']);
      vi.advanceTimersByTime(waitMs - 1);
      // Two have been read, and are still needed.
      for (const one of all.slice(0, 2)) one.step();
      expect(states()).toEqual(['read', 'read', 'waiting', 'coming']);
      vi.advanceTimersByTime(2);
      expect(states()).toEqual(['read', 'read', 'refused', 'coming']);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is taken threefold until a body has been read, then once, and by many small values for more', () => {
    const room = createRoom();
    const hold = room.hold('a');
    hold.grow(
      { bytes: mebibyte, lists: 0 },
      () => {},
      () => {},
    );
    expect(hold.weight).toBe(unread * mebibyte);
    const ends: (() => void)[] = [];
    hold.shareWith(callerOf('a', { whenExecuted: (run) => void ends.push(run) }));
    hold.read();
    expect(hold.weight).toBe(mebibyte);
    hold.release();
    expect(hold.weight).toBe(mebibyte);
    ends[0]?.();
    expect(hold.weight).toBe(0);
    const dense = room.hold('a');
    dense.grow(
      { bytes: mebibyte, lists: mebibyte / 4 },
      () => {},
      () => {},
    );
    expect(dense.weight).toBe((bodyWeight.unread + bodyWeight.perList / 4) * mebibyte);
  });
});
