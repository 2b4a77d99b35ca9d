import { brief, expect, testOfFile as test } from '../support/gateway.ts';
import { MovingUpstream } from '../support/moving-upstream.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const document = `query ($filter: IpConnectionFilter, $orderBy: IpConnectionOrder) {
  ipConnections(first: 2, filter: $filter, orderBy: $orderBy) { nodes { id } }
}`;

const queryStrings: readonly [object, string][] = [
  [{ filter: { connectionName: { eq: 'Office & lab/2' } } }, `filter[connection_name]=Office%20%26%20lab%2F2`],
  [{ filter: { connectionName: { contains: 'büro' } } }, `filter[connection_name][contains]=b%C3%BCro`],
  [{ filter: { connectionName: { eq: null, contains: '100%25' } } }, `filter[connection_name][contains]=100%2525`],
  [{ filter: { fqdn: 'a.example.com' } }, `filter[fqdn]=a.example.com`],
  [{ filter: { outboundVoiceProfileId: '1293384261075' } }, `filter[outbound_voice_profile_id]=1293384261075`],
  [{ filter: { outbound: { outboundVoiceProfileId: '7' } } }, `filter[outbound.outbound_voice_profile_id]=7`],
  [{ filter: { connectionName: null, fqdn: null, outbound: {} } }, ''],
  [{ filter: { connectionName: { eq: '', contains: '' }, fqdn: '', active: null, tags: { contains: '' } } }, ''],
  [{ orderBy: { field: 'CONNECTION_NAME' } }, `sort=connection_name`],
  [{ orderBy: { field: 'CREATED_AT', direction: 'DESC' } }, `sort=-created_at`],
];

test.for(queryStrings)('%j is sent as the contract spells it', async ([variables, expected], { gateway, upstream }) => {
  upstream.script((request) => pageReply([{ id: 'a' }], request));
  const data = await gateway.data(document, { variables: { ...variables } });
  expect(data.ipConnections.nodes).toEqual([{ id: 'a' }]);
  const page = 'page[number]=1&page[size]=2';
  const sent = expected === '' ? page : `${expected}&${page}`;
  expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual([sent]);
});

test.for<[filter: Readonly<Record<string, unknown>>, argument: string]>([
  [{ connectionName: { eq: 'a', contains: 'b' } }, 'connectionName'],
  [{ fqdn: 'a\uD800' }, 'fqdn'],
  // The API would read them otherwise.
  [{ fqdn: 'a.example.com,b.example.com' }, 'fqdn'],
  [{ outboundVoiceProfileId: 'null' }, 'outboundVoiceProfileId'],
])('the filter %j is refused without a call', async ([filter, argument], { gateway, upstream }) => {
  const { data, errors } = await gateway.query(document, { variables: { filter } });
  expect(data).toEqual({ ipConnections: null });
  expect(brief(errors)).toEqual([`ipConnections BAD_USER_INPUT filter.${argument}`]);
  expect(upstream.requests).toEqual([]);
});

// Biarity/Sieve#21, PostHog/posthog#23772: the API reads a comma as "any of", and `null` as "none".
test.for(['Sales, EMEA', 'null'])(
  'a connection is found by the name %j, as it is, also among others of its identifier',
  async (eq, { gateway, upstream }) => {
    const names = ['Sales', 'Sales, EMEA', 'null', null];
    const rows = names.map((connection_name) => ({ id: 'same', connection_name }));
    upstream.script((request) => pageReply(rows, request));
    const filter = { connectionName: { eq } };
    const data = await gateway.data(
      'query ($filter: IpConnectionFilter) { ipConnections(filter: $filter) { totalCount nodes { connectionName } } }',
      { variables: { filter } },
    );
    expect(data.ipConnections).toEqual({ totalCount: 1, nodes: [{ connectionName: eq }] });
    expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual(['page[number]=1&page[size]=250']);
  },
);

test('a connection hides its authentication token, and shows whether one is set', async ({ gateway, upstream }) => {
  upstream.script((request) =>
    pageReply(
      [
        { id: 'a', outbound: { ip_authentication_token: 'hush' } },
        { id: 'b', outbound: { ip_authentication_token: null } },
        { id: 'c', outbound: { ip_authentication_token: { hush: 1 } } },
      ],
      request,
    ),
  );
  const { data, errors, text } = await gateway.query(
    '{ ipConnections { nodes { outbound { ipAuthenticationToken ipAuthenticationTokenSet } } } }',
  );
  expect(data.ipConnections.nodes.map(({ outbound }: { outbound: unknown }) => outbound)).toEqual([
    { ipAuthenticationToken: null, ipAuthenticationTokenSet: true },
    { ipAuthenticationToken: null, ipAuthenticationTokenSet: false },
    { ipAuthenticationToken: null, ipAuthenticationTokenSet: null },
  ]);
  expect(brief(errors)).toEqual(['ipConnections.nodes.2.outbound.ipAuthenticationTokenSet UPSTREAM_BAD_RESPONSE']);
  expect(text).not.toContain('hush');
});

test('a connection shows its authentication token with EXPOSE_SECRETS', async ({ startWith, upstream }) => {
  const gateway = await startWith({ EXPOSE_SECRETS: 'true' });
  upstream.script((request) => pageReply([{ id: 'a', outbound: { ip_authentication_token: 'hush' } }], request));
  const { data } = await gateway.query('{ ipConnections { nodes { outbound { ipAuthenticationToken } } } }');
  expect(data.ipConnections.nodes).toEqual([{ outbound: { ipAuthenticationToken: 'hush' } }]);
  expect(gateway.log.join('')).not.toContain('hush');
});

const sieved = `query ($filter: IpConnectionFilter, $first: Int, $after: String, $last: Int, $before: String, $offset: Int) {
  ipConnections(filter: $filter, first: $first, after: $after, last: $last, before: $before, offset: $offset) {
    totalCount offset nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

/** Six hundred connections, each third of which is off; each tenth has tags. */
function sixHundred(): MovingUpstream {
  return new MovingUpstream('/ip_connections', 600, (index) => ({
    active: [false, true, true, null][index % 4 === 3 && index % 3 !== 0 ? 3 : index % 3],
    tags: index % 10 === 0 ? ['production', `row ${index}`] : [null, 'product', 'Production'],
  }));
}

test.for([
  [{ active: false, tags: { contains: 'production' } }, (index: number) => index % 30 === 0],
  [{ active: true, tags: { contains: 'row 10' } }, (index: number) => index === 10],
  [{ tags: { contains: 'nobody' } }, () => false],
] as const)('the filter %j lists all that it matches, by pages', async ([filter, matches], { gateway, upstream }) => {
  const connections = sixHundred();
  upstream.script(connections.answer);
  const expected = connections.ids.filter((_id, index) => matches(index));
  const read = async (turn: object) => {
    const data = await gateway.data(sieved, { variables: { filter, ...turn } });
    return data.ipConnections;
  };
  const ids: string[] = [];
  for (let after: string | null = null, isMore = true; isMore;) {
    const { totalCount, offset, nodes, pageInfo } = await read({ first: 45, after });
    expect([totalCount, offset]).toEqual([expected.length, ids.length]);
    ids.push(...nodes.map(({ id }: { id: string }) => id));
    expect(upstream.requests.splice(0).map(({ query }) => query['page[size]'])).toEqual(['250', '250', '250']);
    [after, isMore] = [pageInfo.endCursor, pageInfo.hasNextPage];
  }
  expect(ids).toEqual(expected);
  const end = await read({ last: 2 });
  expect(end.nodes.map(({ id }: { id: string }) => id)).toEqual(expected.slice(-2));
  const behind = await read({ first: 3, offset: 1 });
  expect(behind.nodes.map(({ id }: { id: string }) => id)).toEqual(expected.slice(1, 4));
});

test('a filter that is read through goes with those of the API, and has its bound', async ({ startWith, upstream }) => {
  const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
  const connections = sixHundred();
  upstream.script(connections.answer);
  const named = { connectionName: { contains: 'off' }, active: true };
  const refused = await gateway.query(sieved, { variables: { filter: named } });
  expect(refused.errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 500, actual: 600 } }]);
  expect(upstream.requests.map(({ query }) => query['filter[connection_name][contains]'])).toEqual(['off', 'off']);
});

test('a page behind rows that match no longer begins at the next that does', async ({ gateway, upstream }) => {
  const connections = sixHundred();
  upstream.script(connections.answer);
  const variables = { filter: { active: true }, first: 20, after: null };
  const one = (await gateway.query(sieved, { variables })).data.ipConnections;
  // All that were shown are off, with the next; of the oldest, more are on.
  connections.rows = connections.rows.map((row, at) => ({ ...row, active: at > 500 || (row['active'] && at > 60) }));
  const { data } = await gateway.query(sieved, { variables: { ...variables, after: one.pageInfo.endCursor } });
  const on = connections.rows.filter(({ active }) => active === true);
  expect(data.ipConnections.nodes).toEqual(on.slice(0, 20).map(({ id }) => ({ id })));
});

test('a cursor of one filter is refused by another', async ({ gateway, upstream }) => {
  upstream.script(sixHundred().answer);
  const { data } = await gateway.query(sieved, { variables: { filter: { active: true } } });
  const after = data.ipConnections.pageInfo.endCursor;
  const { errors } = await gateway.query(sieved, { variables: { filter: { active: false }, after } });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['after'] } }]);
});
