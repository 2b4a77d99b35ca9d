import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { totalsOf, totalsPerList } from '../../../../src/resources/charges/breakdown-totals.ts';
import { selectionKey, selectRows, sortedDigits } from '../../../../src/resources/charges/breakdown-selection.ts';
import type { ChargesBreakdownResultRecord } from '../../../../src/generated/records.ts';

type Row = ChargesBreakdownResultRecord | null;

const rowOf = (fields: object): Row => fields;
const costing = (...costs: readonly unknown[]): object => ({ services: costs.map((cost) => ({ cost })) });

describe('rows that are sorted', () => {
  const cents = fc.integer({ min: -300, max: 300 });
  const known = fc.record({ tn: fc.integer({ min: 0, max: 40 }), costs: fc.array(cents, { maxLength: 3 }) });
  // As many as several runs of a merge sort have, and few different values, so that many are equal.
  const rows = fc.array(fc.option(known, { freq: 6 }), { maxLength: 140, size: 'max' });

  test.for([
    ['COST', 'ASC'],
    ['COST', 'DESC'],
    ['TN', 'ASC'],
    ['TN', 'DESC'],
  ] as const)('by %s %s are in that order, equal ones as they came, unknown ones last', async ([field, direction]) => {
    await fc.assert(
      fc.asyncProperty(rows, async (made) => {
        const given = made.map((one) =>
          one === null
            ? rowOf({ tn: 7, services: null })
            : rowOf({ tn: String(one.tn + 100), ...costing(...one.costs.map((cost) => (cost / 100).toFixed(2))) }),
        );
        const keyAt = (index: number): number => {
          const { tn, costs } = made[index] ?? { tn: 0, costs: [] };
          return (direction === 'ASC' ? 1 : -1) * (field === 'TN' ? tn : costs.reduce((sum, cost) => sum + cost, 0));
        };
        const indexes = [...made.keys()];
        const expected = [
          ...indexes.filter((index) => made[index] !== null).sort((a, b) => keyAt(a) - keyAt(b)),
          ...indexes.filter((index) => made[index] === null),
        ];
        const sorted = await selectRows(given, { orderBy: { field, direction } });
        expect(sorted.map((row) => given.indexOf(row))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test('by cost have as many digits together as can be sorted, and no more', async () => {
    const digits = 1_000;
    const whole = Array.from({ length: sortedDigits / digits }, () => rowOf(costing('1'.repeat(digits))));
    const orderBy = { field: 'COST', direction: 'ASC' } as const;
    expect(await selectRows(whole, { orderBy })).toHaveLength(whole.length);
    await expect(selectRows([...whole, rowOf(costing('1'))], { orderBy })).rejects.toThrow(
      expect.objectContaining({
        code: 'QUERY_TOO_COMPLEX',
        message: `The costs of this report have more than ${sortedDigits} digits together, and cannot be sorted. Leave orderBy out.`,
        excess: { limit: sortedDigits, actual: sortedDigits + 1 },
      }),
    );
  });
});

describe('a selection of rows', () => {
  const rows = [
    rowOf({ tn: '+1312', charge_type: 'local', service_owner_email: 'a@example.com' }),
    null,
    rowOf({ tn: 1312, charge_type: 'local' }),
    rowOf({ tn: '+1415', charge_type: 'toll_free', service_owner_email: 'a@example.com' }),
  ];

  test.for([
    [{}, [0, 1, 2, 3]],
    [{ tn: null, chargeType: { eq: '' } }, [0, 1, 2, 3]],
    [{ tn: { contains: '131' } }, [0]],
    [{ chargeType: { eq: 'local' } }, [0, 2]],
    [{ serviceOwnerEmail: { eq: 'a@example.com' } }, [0, 3]],
    [{ serviceOwnerEmail: { eq: 'a@example.com' }, chargeType: { eq: 'toll_free' } }, [3]],
  ] as const)('by %j has those that match all of it: %j', async ([filter, indexes]) => {
    const selected = await selectRows(rows, { filter });
    expect(selected.map((row) => rows.indexOf(row))).toEqual(indexes);
  });

  test('has a key of its own, and none where it is all rows as they came', () => {
    for (const all of [{}, { filter: null, orderBy: null }, { filter: { tn: { contains: '' } } }])
      expect(selectionKey(all)).toBe('');
    const keys = [
      { filter: { tn: { contains: 'a' } } },
      { filter: { chargeType: { eq: 'a' } } },
      { filter: { serviceOwnerEmail: { eq: 'a' } } },
      { orderBy: { field: 'TN', direction: 'ASC' } },
      { orderBy: { field: 'TN', direction: 'DESC' } },
      { orderBy: { field: 'COST', direction: 'ASC' } },
      { filter: { tn: { contains: 'a' } }, orderBy: { field: 'COST', direction: 'ASC' } },
    ] as const;
    expect(new Set(keys.map((selection) => selectionKey(selection)))).toHaveLength(keys.length);
    expect(selectionKey({ filter: { tn: { contains: 'a' }, chargeType: { eq: '' } } })).toBe(
      selectionKey({ filter: { tn: { contains: 'a' } }, orderBy: null }),
    );
  });
});

describe('what rows cost together', () => {
  const owned = (owner: unknown, services: unknown): Row =>
    rowOf({ service_owner_user_id: owner, service_owner_email: null, services });
  const service = (cost_type: unknown, cost: unknown): object => ({ cost_type, cost });
  const shown = (value: unknown) => (value instanceof Error ? 'error' : value);
  const totals = async (...rows: readonly Row[]) => {
    const { cost, by_cost_type: types, by_service_owner: owners } = await totalsOf(rows);
    return {
      cost: shown(cost),
      types: shown(types),
      owners: shown(owners),
    };
  };
  const owner = (id: unknown, cost: unknown): object => ({
    service_owner_user_id: id,
    service_owner_email: null,
    cost,
  });

  test('has the largest first, and what is not known last', async () => {
    const [mrc, otc] = [(cost: unknown) => service('MRC', cost), (cost: unknown) => service('OTC', cost)];
    expect(
      await totals(
        owned('a', [mrc('1.10'), service('USAGE', '-9')]),
        owned('b', [mrc(null)]),
        owned('c', [otc('20'), otc('0.5')]),
        owned('a', [otc('1')]),
      ),
    ).toEqual({
      cost: null,
      types: [
        { cost_type: 'OTC', cost: '21.5' },
        { cost_type: 'USAGE', cost: '-9' },
        { cost_type: 'MRC', cost: null },
      ],
      owners: [owner('c', '20.5'), owner('a', '-6.90'), owner('b', null)],
    });
    expect(await totals(owned('a', [mrc('1')]), owned('b', [mrc('2')]))).toMatchObject({ cost: '3' });
  });

  test('is not known where services are missing, and an error where they cannot be read', async () => {
    const known = owned('a', [service('MRC', '1')]);
    expect(await totals(known, owned('b', null))).toEqual({
      cost: null,
      types: null,
      owners: [owner('a', '1'), owner('b', null)],
    });
    expect(await totals(known, owned('b', 'x'))).toEqual({
      cost: 'error',
      types: 'error',
      owners: [owner('a', '1'), owner('b', expect.any(Error))],
    });
    expect(await totals(known, owned('b', [null]))).toMatchObject({ cost: 'error', types: 'error' });
    expect(await totals(known, owned('b', [service('MRC', 7)]))).toMatchObject({
      cost: 'error',
      types: [{ cost_type: 'MRC', cost: expect.any(Error) }],
    });
    expect(await totals(known, null)).toEqual({ cost: 'error', types: 'error', owners: 'error' });
  });

  test('is by text: what is missing is one group, and what is no text another', async () => {
    const [one] = [[service('MRC', '1')]];
    const rows = [null, 7, undefined, 8, '0', 'null'].map((id) => owned(id, one));
    expect((await totals(...rows)).owners).toEqual([
      owner(null, '2'),
      owner(7, '2'),
      owner('0', '1'),
      owner('null', '1'),
    ]);
  });

  test('is by as many groups as a list has, and no more', async () => {
    const rows = Array.from({ length: totalsPerList }, (_, index) => owned(`${index}`, [service(`${index}`, '1')]));
    const whole = await totalsOf(rows);
    expect([whole.by_cost_type, whole.by_service_owner]).toMatchObject([
      { length: totalsPerList },
      { length: totalsPerList },
    ]);
    const beyond = await totalsOf([...rows, owned('more', [service('more', '1')]), owned('0', [service('0', '1')])]);
    expect(beyond.cost).toBe(String(totalsPerList + 2));
    for (const [list, what] of [
      [beyond.by_cost_type, 'kinds of cost'],
      [beyond.by_service_owner, 'owners of services'],
    ] as const)
      expect(list).toMatchObject({
        code: 'QUERY_TOO_COMPLEX',
        message: `A report is added up by ${totalsPerList} ${what} at most, and this one has more. Use filter to add up a part of it.`,
        excess: { limit: totalsPerList, actual: totalsPerList + 1 },
      });
  });
});
