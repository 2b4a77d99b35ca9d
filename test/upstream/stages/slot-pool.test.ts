import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SlotPool } from '../../../src/upstream/stages/bulkhead.ts';
/** Waits for a slot and resolves to the function that releases it. */
async function acquire(slots: SlotPool, identity: string, signal: AbortSignal): Promise<() => void> {
  const held = await slots.acquire(identity, signal);
  return () => slots.release(held);
}

describe('the slot pool', () => {
  const callers = ['a', 'b', 'c', 'd', 'e'];
  const step = fc.record({
    what: fc.constantFrom('enter', 'enter', 'enter', 'enter', 'leave', 'leave', 'leave', 'abort'),
    who: fc.nat(),
  });
  const settings = fc.record({
    most: fc.integer({ min: 1, max: 20 }),
    sparePart: fc.constantFrom(1, 2, 8, Infinity),
    queueSize: fc.integer({ min: 0, max: 12 }),
  });
  const { signal } = new AbortController();
  const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  interface Visit {
    readonly identity: string;
    readonly leaving: AbortController;
    state: 'waiting' | 'inside' | 'out';
    leave?: () => void;
  }

  test('never loses a slot, grants one too many, or withholds one from a caller who may have it', async () => {
    await fc.assert(
      fc.asyncProperty(settings, fc.array(step, { maxLength: 120 }), async (limits, steps) => {
        const { most, sparePart, queueSize } = limits;
        const slots = new SlotPool({ ...limits, queueTimeoutMs: 60_000 });
        const visits: Visit[] = [];
        const of = (state: Visit['state'], identity?: string): Visit[] =>
          visits.filter((visit) => visit.state === state && (identity ?? visit.identity) === visit.identity);

        function enter(identity: string): void {
          const visit: Visit = { identity, leaving: new AbortController(), state: 'waiting' };
          visits.push(visit);
          acquire(slots, identity, visit.leaving.signal).then(
            (release) => Object.assign(visit, { state: 'inside', leave: release }),
            () => (visit.state = 'out'),
          );
        }
        function leave(visit: Visit | undefined): void {
          if (visit === undefined) return;
          visit.state = 'out';
          visit.leave?.();
        }

        for (const { what, who } of steps) {
          const inside = of('inside');
          const waiting = of('waiting');
          if (what === 'enter') enter(callers[who % callers.length] ?? '');
          if (what === 'leave') leave(inside[who % Math.max(1, inside.length)]);
          if (what === 'abort') waiting[who % Math.max(1, waiting.length)]?.leaving.abort(new Error('gone'));
          await tick();
          expect(of('inside').length).toBeLessThanOrEqual(most);
          expect(of('waiting').length).toBeLessThanOrEqual(queueSize);
          const free = most - of('inside').length;
          for (const caller of callers) {
            const own = of('inside', caller).length;
            const spare = Math.min(Math.ceil(most / sparePart), Math.floor(most / 2));
            expect(own).toBeLessThanOrEqual(most - spare);
            if (of('waiting', caller).length === 0) continue;
            // So many free slots are enough for one more.
            const left = Math.min(own + Math.floor(most / 16), Math.ceil(most / sparePart), most - 1);
            expect(free).toBeLessThan(own === 0 ? 1 : 1 + left);
          }
        }
        // In the end every call is admitted and released, and leaves nothing behind.
        for (let round = 0; round < 500 && of('inside').length > 0; round++) {
          leave(of('inside')[0]);
          await tick();
        }
        expect([...of('inside'), ...of('waiting')]).toEqual([]);
        for (const { leaving } of visits) expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
        const again = await Promise.all(
          Array.from({ length: most }, (_, n) => acquire(slots, `new ${n}`, new AbortController().signal)),
        );
        expect(again).toHaveLength(most);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  /** The callers of these calls in the order in which they are admitted, each of which ends when all before it have. */
  async function orderOf(slots: SlotPool, identities: readonly string[]): Promise<readonly string[]> {
    const order: string[] = [];
    const leaves: (() => void)[] = [];
    for (const identity of identities)
      void acquire(slots, identity, signal).then((leave) => order.push(identity) && leaves.push(leave));
    await tick();
    while (leaves.length > 0) {
      leaves.shift()?.();
      await tick();
    }
    return order;
  }
  const patient = { sparePart: Infinity, queueSize: 1_000, queueTimeoutMs: 60_000 };
  const calls = (count: number, identity: string): string[] => Array<string>(count).fill(identity);

  test.for([1, 2, 3])('of %d slots admits a caller with many calls and many with one by turns', async (most) => {
    const others = Array.from({ length: 50 }, (_, n) => `other ${n}`);
    const order = await orderOf(new SlotPool({ ...patient, most }), [...calls(5, 'good'), ...others]);
    expect(order).toHaveLength(55);
    expect(order.lastIndexOf('good')).toBeGreaterThan(50);
  });

  test('gives a free slot to who holds the fewest, whoever has waited longest', async () => {
    const slots = new SlotPool({ ...patient, most: 4 });
    const [, , , leave] = await Promise.all(['a', 'a', 'b', 'c'].map((who) => acquire(slots, who, signal)));
    const admitted = Promise.race(['a', 'b'].map((who) => acquire(slots, who, signal).then(() => who)));
    leave?.();
    expect(await admitted).toBe('b');
  });
});
