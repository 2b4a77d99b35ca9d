import { describe } from 'vitest';
import { expect, testOfFile as test } from '../../../support/gateway.ts';
import * as records from '../../../support/records.ts';
import type { Reply } from '../../../support/scripted-upstream.ts';

const document = /* GraphQL */ `
  {
    chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") {
      summary {
        lines {
          __typename
          ... on ServiceLine {
            type
            name
            alias
            amount
          }
        }
      }
    }
  }
`;

const linesReply = (...lines: readonly unknown[]): Reply => ({
  json: { data: records.chargesSummaryRecord({ summary: { lines, adjustments: [] } }) },
});

test('a line of either shape is a ServiceLine with an amount', async ({ gateway, upstream }) => {
  upstream.script(() => linesReply(records.comparativeLine(), records.simpleLine()));
  const { data, errors } = await gateway.query(document);
  expect(errors).toEqual([]);
  expect(data.chargesSummary.summary.lines).toEqual([
    {
      __typename: 'ComparativeLine',
      type: 'comparative',
      name: 'Phone Numbers',
      alias: 'phone_numbers',
      amount: '243.60',
    },
    { __typename: 'SimpleLine', type: 'simple', name: 'Number Lookups', alias: 'number_lookups', amount: '4.80' },
  ]);
  expect(upstream.requests).toHaveLength(1);
});

describe('the amount of a comparative line', () => {
  test.for([
    [{ mrc: '0.1' }, { mrc: '0.2', otc: null }, '0.3'],
    [{ mrc: '9007199254740993.01', otc: '-0.001' }, { mrc: '0' }, '9007199254740993.009'],
    [{ mrc: '1e2', otc: '+1' }, { mrc: '.50', otc: '-200.' }, '-98.50'],
  ] as const)('of %j and %j is %s, to the digit', async ([added, existing, amount], { gateway, upstream }) => {
    upstream.script(() =>
      linesReply(records.comparativeLine({ new_this_month: added, existing_this_month: existing })),
    );
    const { data, errors } = await gateway.query(document);
    expect(errors).toEqual([]);
    expect(data.chargesSummary.summary.lines[0].amount).toBe(amount);
  });

  test.for([
    [{ new_this_month: { mrc: 12 } }, 'mrc'],
    [{ new_this_month: { mrc: '12.00', otc: 'none' } }, 'otc'],
    [{ new_this_month: null }, 'new_this_month'],
    [{ existing_this_month: { otc: '1.00' } }, 'mrc'],
    [{ existing_this_month: [] }, 'existing_this_month'],
    [{ existing_this_month: { mrc: '1e1000000000' } }, 'exponent'],
  ] as const)('fails its line alone where it is not known: %j', async ([fields, named], { gateway, upstream }) => {
    upstream.script(() => linesReply(records.comparativeLine(fields), records.simpleLine()));
    const { data, errors } = await gateway.query(document);
    expect(data.chargesSummary.summary.lines).toMatchObject([null, { amount: '4.80' }]);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(named),
        path: ['chargesSummary', 'summary', 'lines', 0, 'amount'],
        extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: false },
      },
    ]);
  });
});
