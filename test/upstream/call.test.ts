import { expect, testOfFile as test } from '../support/gateway.ts';
import { allRootFields, healthyReply, rootFields } from '../support/records.ts';

const period = 'startDate: "2026-10-01", endDate: "2026-11-01"';

test.for(rootFields)('the same call is made once: $name', async ({ selection, path }, { gateway, upstream }) => {
  upstream.script(healthyReply);
  const { data, errors } = await gateway.query(
    `{ a: ${selection} b: ${selection} ${selection} ... on Query { c: ${selection} } }`,
  );
  expect(errors).toEqual([]);
  expect([data.b, data.c]).toEqual([data.a, data.a]);
  expect(upstream.requests.map((request) => request.path)).toEqual([path]);
});

test('each set of arguments is a call, and the next operation makes it again', async ({ gateway, upstream }) => {
  upstream.script(healthyReply);
  await gateway.query(`{
    a: ipConnections(filter: { fqdn: "a" }) { nodes { id } }
    b: ipConnections(filter: { fqdn: "b" }) { nodes { id } }
    c: ipConnections(filter: { fqdn: "a" }, orderBy: null) { nodes { active } }
  }`);
  expect(upstream.requests.map(({ query }) => query['filter[fqdn]']).toSorted()).toEqual(['a', 'b']);
  for (let round = 0; round < 2; round++) await gateway.query(allRootFields);
  expect(upstream.requests).toHaveLength(2 + 10);
});

test('no call is made for a field that is not selected, skipped or not included', async ({ gateway, upstream }) => {
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
  expect([Object.keys(data), errors]).toEqual([['missions'], []]);
  expect(upstream.requests.map(({ path }) => path)).toEqual(['/ai/missions']);
});

test.for([
  'totalCount',
  'a: totalCount b: totalCount __typename',
  'totalCount nodes @skip(if: true) { id }',
  '... { totalCount }',
])('the length of a list alone asks for one row: { %s }', async (selection, { gateway, upstream }) => {
  upstream.script(() => ({ json: { data: [{ id: 'a' }], meta: { total_results: 1234, page_size: 1 } } }));
  const fields = ['ipConnections', 'missions', 'webhookDeliveries'];
  const { data, errors } = await gateway.query(`{ ${fields.map((field) => `${field} { ${selection} }`).join(' ')} }`);
  expect(errors).toEqual([]);
  for (const field of fields) expect(data[field].totalCount ?? data[field].a).toBe(1234);
  expect(upstream.requests.map(({ query }) => query['page[size]'])).toEqual(['1', '1', '1']);
});
