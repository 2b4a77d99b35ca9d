import * as records from '../../test/support/records.ts';

const money = (index: number): string => `${index % 7}.${String((index * 37) % 10_000).padStart(4, '0')}`;
const tn = (index: number): string => `+1312${String(index).padStart(7, '0')}`;

/** A summary with lines of both shapes. */
export function chargesSummary(): records.JsonRecord {
  const lines = Array.from({ length: 12 }, (_, index) =>
    index % 2 === 0
      ? records.comparativeLine({ name: `Service ${index}`, alias: `service_${index}` })
      : records.simpleLine({ name: `Service ${index}`, alias: `service_${index}`, amount: money(index) }),
  );
  return records.chargesSummaryRecord({
    summary: { lines, adjustments: [records.adjustmentLine(), records.adjustmentLine({ amount: '-0.75' })] },
  });
}

/** A breakdown of so many phone numbers. */
export function chargesBreakdown(numbers: number): records.JsonRecord {
  return records.chargesBreakdownRecord({
    results: Array.from({ length: numbers }, (_, index) =>
      records.chargesBreakdownResultRecord({
        tn: tn(index),
        charge_type: index % 4 === 0 ? 'toll_free' : 'local',
        service_owner_email: `owner-${index % 90}@example.com`,
        services: [
          { cost_type: 'MRC', name: 'Local Number', cost: money(index) },
          { cost_type: 'OTC', name: 'Setup', cost: '0.50' },
        ],
      }),
    ),
  });
}
