import { expect, test } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';

test('totalCount alone takes one call for one row', async ({ gateway, upstream }) => {
  upstream.script((request) => pageReply([{ mission_id: 'a' }, { mission_id: 'b' }], request));
  const { data } = await gateway.query('{ missions { totalCount } }');
  expect(data).toEqual({ missions: { totalCount: 2 } });
  expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual(['page[number]=1&page[size]=1']);
});
