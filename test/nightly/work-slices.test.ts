import { expect, test } from 'vitest';
import { totalsOf } from '../../src/resources/charges/breakdown-totals.ts';
import { selectRows } from '../../src/resources/charges/charges-breakdown.ts';

const reportOf = (length: number) =>
  Array.from({ length }, (_, index) => ({
    tn: `+1312${String((index * 7_919) % 10_000_000).padStart(7, '0')}`,
    charge_type: 'local',
    service_owner_user_id: `user ${index % 40}`,
    service_owner_email: `${index % 40}@example.com`,
    services: [
      { cost_type: 'MRC', name: 'Number', cost: `${(index * 31) % 977}.${index % 100}` },
      { cost_type: 'OTC', name: 'Setup', cost: '0.10' },
    ],
  }));

/** What this thread computes between two turns of others, at most, and in all; in microseconds. */
async function watched(work: () => Promise<unknown>) {
  const spent = (): number => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  const begun = spent();
  let [last, longest, turns, isDone] = [begun, 0, 0, false];
  const look = (): void => {
    const now = spent();
    [longest, last] = [Math.max(longest, now - last), now];
    turns++;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isDone = true;
  return { longest, turns, all: spent() - begun };
}

const order = { orderBy: { field: 'COST', direction: 'DESC' } } as const;
const filter = { filter: { tn: { contains: '55' } } };

test('what is computed of a large report leaves the loop to others, the more often the larger it is', async () => {
  for (const length of [20_000, 40_000]) {
    const rows = reportOf(length);
    for (const work of [() => selectRows(rows, order), () => totalsOf(rows)]) {
      const { longest, turns, all } = await watched(work);
      expect(turns).toBeGreaterThan(length / 10_000);
      expect(longest).toBeLessThan(all / 2);
    }
  }
});

test('several large reports hold the loop no longer than one of them', async () => {
  const reports = Array.from({ length: 4 }, () => reportOf(20_000));
  const { longest, all } = await watched(() =>
    Promise.all(reports.flatMap((rows) => [selectRows(rows, { ...order, ...filter }), totalsOf(rows)])),
  );
  expect(longest).toBeLessThan(all / 3);
});
