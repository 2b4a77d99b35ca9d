import fc from 'fast-check';
import { expect, testOfFile as test } from '../support/gateway.ts';
import { chargesBreakdownRecord } from '../support/records.ts';
import { runs } from '../support/runs.ts';
import { costOf, filters, listed, orders, rowsOfReport, textOf, totalsOf, type Wire } from './breakdown-model.ts';

const document = `query ($first: Int $after: String $filter: ChargesBreakdownResultFilter $orderBy: ChargesBreakdownResultOrder) {
  chargesBreakdown(startDate: "2026-10-01") {
    results(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      nodes { tn cost services { cost } }
      pageInfo { hasNextPage endCursor }
      totalCount
    }
    totals(filter: $filter) {
      cost
      byCostType { costType cost }
      byServiceOwner { serviceOwnerUserId serviceOwnerEmail cost }
    }
  }
}`;

const shown = (rows: readonly Wire[]) =>
  rows.map((row) => ({ tn: typeof row['tn'] === 'string' ? row['tn'] : null, cost: textOf(costOf(row)) }));

test('rows of a report are filtered, sorted, paged and added up as by hand', async ({ gateway, upstream }) => {
  const sizes = fc.integer({ min: 10, max: 120 });
  await fc.assert(
    fc.asyncProperty(rowsOfReport, filters, orders, sizes, async (results, filter, orderBy, first) => {
      upstream.script(() => ({ json: { data: chargesBreakdownRecord({ results }) } }));
      const expected = listed(results, filter, orderBy);
      const seen: unknown[] = [];
      let after: string | null = null;
      do {
        upstream.requests.length = 0;
        const { data, errors } = await gateway.query(document, { variables: { first, after, filter, orderBy } });
        const { results: page, totals } = data.chargesBreakdown;
        expect(upstream.requests).toHaveLength(1);
        expect(totals).toEqual(totalsOf(results, filter));
        expect(page.totalCount).toBe(expected.length);
        for (const { extensions } of errors) expect(extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
        seen.push(...page.nodes.map(({ tn, cost }: Wire) => ({ tn, cost })));
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      } while (after !== null && seen.length <= results.length);
      expect(seen).toEqual(shown(expected));
    }),
    { numRuns: runs(200) },
  );
});
