import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  advance,
  deliveryOf,
  emptyWindow,
  recalled,
  watermarkOf,
  type Deliveries,
  type Delivery,
  type DeliveryWindow,
} from '../../../src/live/delivery-window.ts';
import { decodeEventId, encodeEventId, EventIds } from '../../../src/live/event-ids.ts';
import type { ArrivedEvent } from '../../../src/live/stream.ts';
import { runs } from '../../support/runs.ts';
import { timestampAt } from '../../support/moving-upstream.ts';

const overlapMs = 10_000;
const list = 'filter[status][eq]=failed';
const steps = 40;
const late = overlapMs / 1000;
/** Nothing is from beyond it, but where a test says so. */
const future = '2030-01-01T00:00:00Z';

const next = (window: DeliveryWindow, rows: Deliveries) => advance(window, rows, overlapMs, future);
const deliveryAt = (index: number, second: number): Delivery =>
  deliveryOf({ id: `d-${index}`, started_at: timestampAt(second) });
/** The ids behind each of some deliveries, of a reader with this window. */
const idsAfter = (window: DeliveryWindow, fresh: Deliveries) => (index: number) =>
  (new EventIds(list, overlapMs).arrivals(window, fresh, future).events[index] as ArrivedEvent).eventId();

const arrival = fc
  .record({
    start: fc.integer({ min: 0, max: steps }),
    late: fc.integer({ min: 0, max: late }),
    // By a wrong clock, now and then.
    years: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.constantFrom(4, 5, 100)),
  })
  .map(({ start, late: by, years }) => ({ start, appears: start + by, years }));
const year = 365 * 86_400;

/** One reader of a list: what they have been sent, and where they are. */
class Reader {
  readonly sent: string[] = [];
  /** What was remembered of before the overlap. */
  readonly stale: unknown[] = [];
  #window: DeliveryWindow = emptyWindow;
  #eventId = '';

  begin(rows: Deliveries): void {
    this.#window = next(emptyWindow, rows).window;
    this.#eventId = encodeEventId(list, this.#window);
  }

  /** Is sent what is new; all of it, or as many as come through before the connection breaks. */
  read(rows: Deliveries, most = Infinity): void {
    const { window, fresh } = next(this.#window, rows);
    this.#take(this.#window, fresh, most);
    this.#window = window;
    const watermark = watermarkOf(window, overlapMs) ?? '';
    this.stale.push(...[...window.seen.values()].filter((moment) => moment === null || moment < watermark));
  }

  /** Comes back by the id of what came last, as any other process would read it. */
  return(rows: Deliveries, most: number): void {
    const seen = decodeEventId(list, this.#eventId);
    if (seen === null) throw new Error('An id of this list was refused.');
    const window = recalled(seen, rows);
    this.#take(window, next(window, rows).fresh, most);
    this.#window = next(emptyWindow, rows).window;
  }

  #take(before: DeliveryWindow, fresh: Deliveries, most: number): void {
    const idAfter = idsAfter(before, fresh);
    for (const [index, { mark }] of fresh.slice(0, most).entries()) {
      this.sent.push(mark);
      this.#eventId = idAfter(index);
    }
  }
}

// At each step the list is read or not, or the connection breaks in the middle of what is sent, and is made anew.
const course = fc.array(
  fc.oneof(
    fc.constant({ kind: 'none' as const }),
    fc.constant({ kind: 'read' as const }),
    fc.record({
      kind: fc.constant('break' as const),
      before: fc.integer({ min: 0, max: 5 }),
      after: fc.integer({ min: 0, max: 5 }),
    }),
  ),
  { minLength: steps + late + 1, maxLength: steps + late + 1 },
);

test('a returning reader gets each delivery exactly once, wherever the connection broke', () => {
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 80 }), course, fc.nat(96), (arrivals, turns, salt) => {
      const rows = arrivals.map(({ start, years }, index) => deliveryAt(index, start + years * year));
      const placeOf = (row: Delivery): number => (rows.indexOf(row) * 31 + salt) % 97;
      // In any order, some twice, and as if the upstream had not heard of the bound: what is before it is left out all the same.
      const at = (step: number) => {
        const there = rows.filter((_, index) => (arrivals[index]?.appears ?? 0) <= step);
        return [...there, ...there.slice(0, 3)].sort((a, b) => placeOf(a) - placeOf(b));
      };
      const reader = new Reader();
      reader.begin(at(0));
      for (const [step, turn] of turns.entries()) {
        if (turn.kind === 'none') continue;
        if (turn.kind === 'read') {
          reader.read(at(step));
          continue;
        }
        reader.read(at(step), turn.before);
        // However often it breaks again before all has come through.
        for (let again = 0; again < 3; again++) reader.return(at(step), turn.after);
        reader.return(at(step), Infinity);
      }
      reader.read(at(steps + late));
      const before = at(0);
      const expected = rows.filter((row) => !before.includes(row)).map(({ mark }) => mark);
      expect(reader.sent.toSorted()).toEqual(expected.toSorted());
      expect(reader.stale).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});

describe('the id of an event', () => {
  const rowsFrom = (count: number, apart = 1 / 1000): Deliveries =>
    Array.from({ length: count }, (_, index) => deliveryAt(index, index * apart));
  const idAfter = (rows: Deliveries, index: number): string => idsAfter(emptyWindow, rows)(index);
  const missedBy = (id: string, rows: Deliveries): Deliveries | undefined => {
    const seen = decodeEventId(list, id);
    return seen === null ? undefined : next(recalled(seen, rows), rows).fresh;
  };

  test('grows with the deliveries of the overlap, to two kilobytes at most', () => {
    expect(idAfter(rowsFrom(12), 11).length).toBeLessThan(150);
    expect(idAfter(rowsFrom(5_000), 4_999).length).toBeLessThan(2_100);
    // Of deliveries that are seconds apart no more than the overlap is remembered.
    expect(idAfter(rowsFrom(500, 1), 499).length).toBeLessThan(150);
  });

  test('loses none of a burst, however many came late', () => {
    const bursts = fc.record({
      // In milliseconds: some begin at one moment.
      starts: fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 300, maxLength: 1_500 }),
      until: fc.double({ min: 0.2, max: 1, noNaN: true }),
      delayed: fc.array(fc.double({ min: 0, max: 0.99, noNaN: true }), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(bursts, ({ starts, until, delayed }) => {
        const sorted = starts.toSorted((a, b) => a - b);
        const all = sorted.map((start, index) => deliveryAt(index, start / 1_000));
        const count = Math.ceil(until * all.length);
        const lateOnes = new Set(delayed.map((part) => all[Math.floor(part * count)]));
        const early = all.slice(0, count).filter((row) => !lateOnes.has(row));
        fc.pre(early.length > 0);
        const missed = missedBy(idAfter(early, early.length - 1), all.toReversed());
        const wanted = all.filter((row) => !early.includes(row));
        expect(missed).toEqual(expect.arrayContaining(wanted));
        expect(new Set(missed).size).toBe(missed?.length);
        expect(missed).toHaveLength(wanted.length + Math.max(0, early.length - 250));
      }),
      { numRuns: runs(15) },
    );
  });

  test('remembers deliveries without a moment, or without an id', () => {
    const rows = [{ id: 'a' }, { started_at: timestampAt(3) }, { id: 'b', started_at: timestampAt(4) }].map(deliveryOf);
    expect(missedBy(idAfter(rows, 2), rows)).toEqual([]);
    // Those without a moment are in every reading.
    const many = [...rowsFrom(1_000), ...rows, ...rowsFrom(2_000).slice(1_000)];
    const id = encodeEventId(list, next(emptyWindow, many).window);
    expect(missedBy(id, rows.slice(0, 1))).toEqual([]);
  });

  test.for(['99999999999999', '20261301000000'])('is refused with a moment that does not exist (%s)', (newest) => {
    expect(decodeEventId(list, encodeEventId(list, { ...emptyWindow, newest }))).toBeNull();
  });

  test('is accepted by its own list alone, and to the letter', () => {
    const id = idAfter(rowsFrom(3), 2);
    expect(decodeEventId(list, id)).not.toBeNull();
    expect(decodeEventId('filter[status][eq]=delivered', id)).toBeNull();
    for (let at = 0; at < id.length; at += 5) {
      const other = id[at] === 'x' ? 'y' : 'x';
      expect(decodeEventId(list, id.slice(0, at) + other + id.slice(at + 1))).toBeNull();
      expect(decodeEventId(list, id.slice(0, at))).toBeNull();
    }
    for (const text of ['', '1', '1...', ' ', `${id} `, `${id}\n`, 'x'.repeat(100_000)])
      expect(decodeEventId(list, text)).toBeNull();
  });
});
