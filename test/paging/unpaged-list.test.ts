import { expect, test } from '../support/gateway.ts';
import { MovingUpstream } from '../support/moving-upstream.ts';

test('a list is whole whose API has no counts and sends all rows for any page', async ({ gateway, upstream }) => {
  const { rows, ids } = new MovingUpstream('/ip_connections', 5);
  upstream.script(() => ({ json: { data: rows } }));
  const { data, errors } = await gateway.query('{ list: ipConnections { nodes { id } pageInfo { hasNextPage } } }');
  expect(errors).toEqual([]);
  expect(data.list).toEqual({ nodes: ids.map((id) => ({ id })), pageInfo: { hasNextPage: false } });
  expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual([
    'page[number]=1&page[size]=20',
    'page[number]=2&page[size]=5',
  ]);
});
