import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBulkhead } from '../../../src/upstream/stages/bulkhead.ts';
import { strangersShare, type KnownCallers } from '../../../src/upstream/stages/known-callers.ts';

/** Callers that become known, and strangers again, when the test says so. */
function createCallers(identities: readonly string[]) {
  const known = new Set(identities);
  const watchers: ((identity: string | null) => void)[] = [];
  const callers: KnownCallers = {
    has: (identity) => known.size === 0 || known.has(identity),
    note: () => {},
    watch: (run) => void watchers.push(run),
  };
  function turn(identity: string): void {
    const before = known.size;
    if (!known.delete(identity)) known.add(identity);
    for (const run of watchers) run(before === 0 || known.size === 0 ? null : identity);
  }
  return { callers, turn };
}

describe('places', () => {
  const callers = ['a', 'b', 'c', 'd', 'e'];
  const step = fc.record({
    what: fc.constantFrom('enter', 'enter', 'enter', 'enter', 'leave', 'leave', 'leave', 'abort', 'turn'),
    who: fc.nat(),
  });
  const settings = fc.record({
    most: fc.integer({ min: 1, max: 6 }),
    leavesRoom: fc.boolean(),
    queueSize: fc.integer({ min: 0, max: 12 }),
    strangers: fc.subarray(callers),
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  interface Visit {
    readonly identity: string;
    readonly leaving: AbortController;
    state: 'waiting' | 'inside' | 'out';
    leave?: () => void;
  }

  test('are never lost, never too many, never kept from who may have them, whatever comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(settings, fc.array(step, { maxLength: 120 }), async ({ strangers, ...limits }, steps) => {
        const { most, leavesRoom, queueSize } = limits;
        const { callers: known, turn: turnCaller } = createCallers(callers.filter((one) => !strangers.includes(one)));
        const places = createBulkhead({ ...limits, known, queueTimeoutMs: 60_000 });
        const visits: Visit[] = [];
        const of = (state: Visit['state'], identity?: string): Visit[] =>
          visits.filter((visit) => visit.state === state && (identity ?? visit.identity) === visit.identity);

        const ofStrangers = (state: Visit['state']): number =>
          of(state).filter(({ identity }) => !known.has(identity)).length;

        function enter(identity: string): void {
          const visit: Visit = { identity, leaving: new AbortController(), state: 'waiting' };
          visits.push(visit);
          places.acquire(identity, visit.leaving.signal).then(
            (giveBack) => Object.assign(visit, { state: 'inside', leave: giveBack }),
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
          if (what === 'turn') turnCaller(callers[who % callers.length] ?? '');
          const before = ofStrangers('inside');
          await turn();
          const share = strangersShare(most);
          if (ofStrangers('inside') > share) expect(ofStrangers('inside')).toBeLessThanOrEqual(before);
          expect(of('inside').length).toBeLessThanOrEqual(most);
          expect(of('waiting').length).toBeLessThanOrEqual(queueSize);
          for (const caller of callers) {
            const own = of('inside', caller).length;
            expect(own).toBeLessThanOrEqual(leavesRoom ? Math.ceil(most / 2) : most);
            const mostOfOne = leavesRoom ? most - of('inside').length : most;
            const hasShare = known.has(caller) || ofStrangers('inside') < share;
            const mayEnter = of('waiting', caller).length > 0 && own < mostOfOne && hasShare;
            if (mayEnter) expect(of('inside')).toHaveLength(most);
          }
        }
        // Everybody is let in and out in the end, and leaves nothing behind.
        for (const caller of callers) if (!known.has(caller)) turnCaller(caller);
        for (let round = 0; round < 500 && of('inside').length > 0; round++) {
          leave(of('inside')[0]);
          await turn();
        }
        expect([...of('inside'), ...of('waiting')]).toEqual([]);
        for (const { leaving } of visits) expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
        const again = await Promise.all(
          Array.from({ length: most }, (_, n) => {
            turnCaller(`new ${n}`);
            return places.acquire(`new ${n}`, new AbortController().signal);
          }),
        );
        expect(again).toHaveLength(most);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  test('go round among callers who wait for them alike', async () => {
    for (const most of [1, 2, 3]) {
      const places = createBulkhead({ most, queueSize: 1_000, queueTimeoutMs: 60_000 });
      const { signal } = new AbortController();
      const inside: (() => void)[] = [];
      const order: string[] = [];
      for (const identity of [...Array<string>(90).fill('busy'), ...Array<string>(30).fill('x'), 'y', 'z'])
        void places.acquire(identity, signal).then((leave) => order.push(identity) && inside.push(leave));
      await turn();
      while (inside.length > 0) {
        inside.shift()?.();
        await turn();
      }
      expect(order).toHaveLength(122);
      // Whoever comes first has all places; then the others have one before it has one more.
      expect(order.slice(0, most)).toEqual(Array(most).fill('busy'));
      expect(new Set(order.slice(most, most + 3))).toEqual(new Set(['x', 'y', 'z']));
      // From there on the two who are left take turns, as long as both have something to do.
      const turns = order.slice(most + 3, most + 3 + 2 * 29 - most);
      const lead = (name: string, until: number): number =>
        turns.slice(0, until).filter((one) => one === name).length - until / 2;
      for (let until = 0; until <= turns.length; until += 2)
        expect(Math.abs(lead('x', until))).toBeLessThanOrEqual(most);
    }
  });

  test('are, and wait, a quarter for strangers together, who never keep a known caller out', async () => {
    const { callers: known, turn: turnCaller } = createCallers(['good']);
    const places = createBulkhead({ most: 8, queueSize: 8, queueTimeoutMs: 60_000, known });
    const { signal } = new AbortController();
    const outcomes: string[] = [];
    const leave: Record<string, () => void> = {};
    const enter = (identity: string): void =>
      void places.acquire(identity, signal).then(
        (giveBack) => (outcomes.push(`${identity} in`), (leave[identity] = giveBack)),
        () => outcomes.push(`${identity} out`),
      );
    for (let n = 1; n <= 6; n++) enter(`made up ${n}`);
    await turn();
    expect(outcomes).toEqual(['made up 1 in', 'made up 2 in', 'made up 5 out', 'made up 6 out']);
    for (let n = 0; n < 12; n++) enter('good');
    await turn();
    expect(outcomes.splice(4)).toEqual(Array(6).fill('good in'));
    // One that turns out to be good has the share of those who are; what others hold of theirs stays theirs.
    turnCaller('made up 3');
    leave['good']?.();
    await turn();
    expect(outcomes.splice(4)).toEqual(['made up 3 in']);
    leave['made up 1']?.();
    await turn();
    expect(outcomes.splice(4)).toEqual(['made up 4 in']);
  });

  test.for([1, 2, 3])('where there are %d, go to known callers and strangers by turns', async (most) => {
    const { callers: known } = createCallers(['good', 'other']);
    const places = createBulkhead({ most, queueSize: 400, queueTimeoutMs: 60_000, known });
    const { signal } = new AbortController();
    const order: string[] = [];
    const leaves: (() => void)[] = [];
    const enter = (identity: string): void =>
      void places.acquire(identity, signal).then((leave) => order.push(identity) && leaves.push(leave));
    for (let n = 0; n < 50; n++) enter(`made up ${n}`);
    for (let n = 0; n < 5; n++) enter('good');
    await turn();
    while (leaves.length > 0) {
      leaves.shift()?.();
      await turn();
    }
    expect(order).toHaveLength(55);
    expect(order.lastIndexOf('good')).toBeLessThan(5 * 2 + most);
  });

  test('to wait for are a stranger’s only while no known caller needs them, where there are too few for a share', async () => {
    const { callers: known } = createCallers(['good']);
    const places = createBulkhead({ most: 1, queueSize: 1, queueTimeoutMs: 60_000, known });
    const { signal } = new AbortController();
    const leave = await places.acquire('made up 1', signal);
    const displaced = places.acquire('made up 2', signal);
    await expect(places.acquire('made up 3', signal)).rejects.toThrow('Too many calls');
    const good = places.acquire('good', signal);
    await expect(displaced).rejects.toThrow('Too many calls');
    leave();
    (await good)();
  });

  test('are not given to who has left, and who leaves the queue is not missed', async () => {
    const places = createBulkhead({ most: 1, queueSize: 2, queueTimeoutMs: 60_000 });
    const leave = await places.acquire('a', new AbortController().signal);
    await expect(places.acquire('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    const leaving = new AbortController();
    const waiting = places.acquire('a', leaving.signal);
    const next = places.acquire('a', new AbortController().signal);
    leaving.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    leave();
    (await next)();
    expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
  });
});
