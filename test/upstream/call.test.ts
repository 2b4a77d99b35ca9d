import { describe } from 'vitest';
import { expect, testOfFile as test } from '../support/gateway.ts';
import { allRootFields, healthyReply, rootFields } from '../support/records.ts';

const period = 'startDate: "2026-10-01", endDate: "2026-11-01"';

describe('an operation makes the same call once', () => {
  test.for(rootFields)(
    'whatever its aliases and selections: $name',
    async ({ selection, path }, { gateway, upstream }) => {
      upstream.script(healthyReply);
      const { data, errors } = await gateway.query(
        `{ a: ${selection} b: ${selection} ${selection} ... on Query { c: ${selection} } }`,
      );
      expect(errors).toEqual([]);
      expect(data.a).toEqual(data.b);
      expect(data.a).toEqual(data.c);
      expect(upstream.requests.map((request) => request.path)).toEqual([path]);
    },
  );

  test('and a call for each set of arguments', async ({ gateway, upstream }) => {
    upstream.script(healthyReply);
    await gateway.query(`{
      a: ipConnections(filter: { fqdn: "a" }) { nodes { id } }
      b: ipConnections(filter: { fqdn: "b" }) { nodes { id } }
      c: ipConnections(filter: { fqdn: "a" }, orderBy: null) { nodes { active } }
    }`);
    expect(upstream.requests).toHaveLength(2);
    expect(new Set(upstream.requests.map(({ query }) => query['filter[fqdn]']))).toEqual(new Set(['a', 'b']));
  });

  test('and the next operation makes it again', async ({ gateway, upstream }) => {
    upstream.script(healthyReply);
    for (let round = 0; round < 2; round++) await gateway.query(allRootFields);
    expect(upstream.requests).toHaveLength(10);
  });
});

describe('no call is made', () => {
  test('for a field that is not selected, skipped or not included', async ({ gateway, upstream }) => {
    upstream.script(healthyReply);
    const { data, errors } = await gateway.query(
      `query ($no: Boolean!, $yes: Boolean!) {
        missions { nodes { id } }
        ipConnections @skip(if: $yes) { nodes { id } }
        webhookDeliveries @include(if: $no) { nodes { id } }
        ... @skip(if: true) { chargesSummary(${period}) { currency } }
        ...Charges @include(if: false)
      }
      fragment Charges on Query { chargesBreakdown(${period}) { currency } }`,
      { variables: { no: false, yes: true } },
    );
    expect(errors).toEqual([]);
    expect(Object.keys(data)).toEqual(['missions']);
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/ai/missions']);
  });
});

describe('the length of a list alone', () => {
  const selections = [
    'totalCount',
    'a: totalCount b: totalCount __typename',
    'totalCount nodes @skip(if: true) { id }',
    '... { totalCount }',
  ];

  test.for(selections)('asks for one row of each list: { %s }', async (selection, { gateway, upstream }) => {
    upstream.script(() => ({ json: { data: [{ id: 'a' }], meta: { total_results: 1234, page_size: 1 } } }));
    const fields = ['ipConnections', 'missions', 'webhookDeliveries'];
    const { data, errors } = await gateway.query(`{ ${fields.map((field) => `${field} { ${selection} }`).join(' ')} }`);
    expect(errors).toEqual([]);
    for (const field of fields) expect(data[field].totalCount ?? data[field].a).toBe(1234);
    expect(upstream.requests.map(({ query }) => query['page[size]'])).toEqual(['1', '1', '1']);
  });
});
