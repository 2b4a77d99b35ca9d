import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BodyHold, BodyRoom } from '../../../src/upstream/response/body-room.ts';

const mebibyte = 1_048_576;
const limits = {
  upstreamMaxBodyBytes: 32 * mebibyte,
  upstreamMaxHeldBytes: 256 * mebibyte,
  upstreamQueueTimeoutMs: 2_000,
};
const createRoom = (): BodyRoom => new BodyRoom(limits);

/** A body that comes in steps, each as large as all before it, and is then read. */
class Reading {
  readonly hold: BodyHold;
  readonly #steps: number[];
  #room = 0;
  state: 'coming' | 'waiting' | 'read' | 'refused' | 'over' = 'coming';

  constructor(room: BodyRoom, identity: string, steps: readonly number[]) {
    this.hold = new BodyHold(room, identity);
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
    const isThere = this.hold.grow(this.#room, go, () => {
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
    fc.integer({ min: mebibyte, max: limits.upstreamMaxBodyBytes }).map((bytes) => [bytes]),
    fc.array(fc.integer({ min: mebibyte, max: limits.upstreamMaxBodyBytes / 8 }), { minLength: 1, maxLength: 8 }),
  ),
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the room for large bodies', () => {
  const bodies = fc.array(body, { minLength: 1, maxLength: 60 });
  const readAll = (room: BodyRoom, all: readonly { who: string; steps: readonly number[] }[]): Reading[] =>
    all.map(({ who, steps }) => new Reading(room, who, steps));

  test('is never exceeded, and becomes free again, whatever comes and goes', () => {
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(), { maxLength: 400 }), (all, acts) => {
        const room = createRoom();
        const readings = readAll(room, all);
        for (const act of acts) {
          const one = readings[act % readings.length];
          if (act % 7 === 0) one?.end();
          else one?.step();
          expect(weightOf(readings)).toBeLessThanOrEqual(limits.upstreamMaxHeldBytes);
        }
        for (const one of readings) one.end();
        expect(weightOf(readings)).toBe(0);
        // Nothing waits any more, and nothing is missing.
        expect(vi.getTimerCount()).toBe(0);
        const next = new Reading(room, 'f', [limits.upstreamMaxBodyBytes]);
        next.step();
        expect(next.state).toBe('coming');
      }),
      { numRuns: 300 },
    );
  });

  test.for([1, 2, 3, 4])('leaves as much as any of %d callers has for one who has nothing', (callers) => {
    const room = createRoom();
    for (let n = 0; n < 200; n++) {
      const one = new Reading(room, `busy ${n % callers}`, [2 * mebibyte]);
      one.step();
      if (one.state === 'waiting') one.end();
    }
    const other = new Reading(room, 'other', [2 * mebibyte]);
    other.step();
    expect(other.state).toBe('coming');
  });

  test('is waited for no longer than a slot, and goes to the caller with the least first', () => {
    const room = createRoom();
    const all = ['a', 'a', 'a', 'b'].map((who) => new Reading(room, who, [limits.upstreamMaxBodyBytes]));
    const states = () => all.map(({ state }) => state);
    for (const one of all) one.step();
    expect(states()).toEqual(['coming', 'coming', 'waiting', 'waiting']);
    vi.advanceTimersByTime(limits.upstreamQueueTimeoutMs - 1);
    // Two have been read, and are still needed.
    for (const one of all.slice(0, 2)) one.step();
    expect(states()).toEqual(['read', 'read', 'waiting', 'coming']);
    vi.advanceTimersByTime(2);
    expect(states()).toEqual(['read', 'read', 'refused', 'coming']);
  });
});
