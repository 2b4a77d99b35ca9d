import { expect, test } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const document = /* GraphQL */ `
  query ($filter: IpConnectionFilter, $orderBy: IpConnectionOrder) {
    ipConnections(first: 2, filter: $filter, orderBy: $orderBy) {
      nodes {
        id
      }
    }
  }
`;

const page = 'page[number]=1&page[size]=2';
const queryStrings: readonly [object, string][] = [
  [{ filter: { connectionName: { eq: 'Office & lab/2' } } }, `filter[connection_name]=Office%20%26%20lab%2F2&${page}`],
  [{ filter: { connectionName: { contains: 'büro' } } }, `filter[connection_name][contains]=b%C3%BCro&${page}`],
  [
    { filter: { connectionName: { eq: null, contains: '100%25' } } },
    `filter[connection_name][contains]=100%2525&${page}`,
  ],
  [{ filter: { fqdn: 'a.example.com' } }, `filter[fqdn]=a.example.com&${page}`],
  [
    { filter: { outboundVoiceProfileId: '1293384261075731499' } },
    `filter[outbound_voice_profile_id]=1293384261075731499&${page}`,
  ],
  [{ filter: { outbound: { outboundVoiceProfileId: '7' } } }, `filter[outbound.outbound_voice_profile_id]=7&${page}`],
  [{ filter: null }, page],
  [{ filter: { connectionName: null, fqdn: null, outbound: {} } }, page],
  [{ orderBy: { field: 'CONNECTION_NAME' } }, `sort=connection_name&${page}`],
  [{ orderBy: { field: 'CREATED_AT', direction: 'DESC' } }, `sort=-created_at&${page}`],
  [{ orderBy: { field: 'ACTIVE', direction: 'ASC' } }, `sort=active&${page}`],
];

test.for(queryStrings)(
  'the list of connections sends %j as the contract spells it',
  async ([variables, expected], { gateway, upstream }) => {
    upstream.script((request) => pageReply([{ id: 'a' }], request));
    const { errors, data } = await gateway.query(document, { variables: { ...variables } });
    expect(errors).toEqual([]);
    expect(data.ipConnections.nodes).toEqual([{ id: 'a' }]);
    expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual([expected]);
  },
);

test('the filter of connections refuses a name with both eq and contains, without a call', async ({
  gateway,
  upstream,
}) => {
  const filter = { connectionName: { eq: 'a', contains: 'b' } };
  const { data, errors } = await gateway.query(document, { variables: { filter } });
  expect(data).toEqual({ ipConnections: null });
  expect(errors).toMatchObject([
    {
      path: ['ipConnections'],
      extensions: { code: 'BAD_USER_INPUT', retryable: false, argument: ['filter', 'connectionName'] },
    },
  ]);
  expect(upstream.requests).toEqual([]);
});

test('the filter of connections refuses text that no URL can carry', async ({ gateway, upstream }) => {
  const { errors } = await gateway.query(document, { variables: { filter: { fqdn: 'a\uD800' } } });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['filter', 'fqdn'] } }]);
  expect(upstream.requests).toEqual([]);
});

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
  expect(errors).toMatchObject([
    {
      path: ['ipConnections', 'nodes', 2, 'outbound', 'ipAuthenticationTokenSet'],
      extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    },
  ]);
  expect(text).not.toContain('hush');
});

test('a connection shows its authentication token with EXPOSE_SECRETS', async ({ startWith, upstream }) => {
  const gateway = await startWith({ EXPOSE_SECRETS: 'true' });
  upstream.script((request) => pageReply([{ id: 'a', outbound: { ip_authentication_token: 'hush' } }], request));
  const { data } = await gateway.query('{ ipConnections { nodes { outbound { ipAuthenticationToken } } } }');
  expect(data.ipConnections.nodes).toEqual([{ outbound: { ipAuthenticationToken: 'hush' } }]);
  expect(gateway.log.join('')).not.toContain('hush');
});
