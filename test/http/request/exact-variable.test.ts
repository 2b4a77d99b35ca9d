import { expect, type Gateway, testOfFile as test } from '../../support/gateway.ts';
import { openSocket } from '../../support/streams.ts';
import { rawNumber, webhookDeliveryRecord, type Json } from '../../support/records.ts';
import { pageReply } from '../../support/scripted-upstream.ts';
import { callTool, textsOf } from '../../support/tool-client.ts';

type Way = (gateway: Gateway, query: string, variables: object) => Promise<Json>;

const answerOf = async (response: Promise<Response>): Promise<Json> => (await response).json();
/** A tool names its own argument. */
const ofTool = ({ message, code }: { readonly message: string; readonly code: string }) => ({
  message: message.replace(/^Argument "variables\.(\w+)"/, 'Variable "$$$1"'),
  extensions: { code },
});

const ways: Readonly<Record<string, Way>> = {
  POST: (gateway, query, variables) => answerOf(gateway.post({ query, variables })),
  GET: (gateway, query, variables) => {
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    return answerOf(gateway.fetch(`/graphql?${search}`, { headers: { authorization: 'Bearer test-key' } }));
  },
  WebSocket: async (gateway, query, variables) => {
    const socket = await openSocket(gateway);
    socket.subscribe('1', { query, variables });
    const { payload } = await Promise.race([socket.next('1'), socket.next('1', 'error')]);
    socket.ws.close();
    return Array.isArray(payload) ? { errors: payload } : payload;
  },
  'a tool for free queries': async (gateway, query, variables) => {
    const texts = textsOf(await callTool(gateway, 'run_query', { query, variables }));
    const parsed = texts.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text));
    const { errors } = parsed.find((each) => 'errors' in each) ?? {};
    return errors === undefined ? { data: parsed[0] } : { errors: errors.map(ofTool) };
  },
};

const settings = { MCP: 'true', MCP_QUERIES: 'true', INTROSPECTION: 'true' };
const byId = 'query($id: ID!) { ipConnection(id: $id) { id } }';
const digits = '1293384261075731499';
const ids = [digits, '-9007199254740993', '9007199254740993', '12345678901234567000', '7', '0', `1${'0'.repeat(300)}1`];
const noIds = ['1.0', '1e3', '1E+21', '1e+21', '0.5', '-1.50', '1e400', '12345678901234567890.0', '1e-7'];
const rows = ids.map((id) => ({ id }));

test.for(Object.entries(ways))(
  'an integer is an ID digit for digit, and no other number is, by %s',
  async ([, way], { startWith, upstream }) => {
    upstream.script((request) => pageReply(rows, request));
    const gateway = await startWith(settings);
    for (const id of ids)
      expect(await way(gateway, byId, { id: rawNumber(id) }), id).toEqual({ data: { ipConnection: { id } } });
    for (const id of noIds) {
      const { data, errors } = await way(gateway, byId, { id: rawNumber(id) });
      expect(data).toBeUndefined();
      const message = `Variable "$id" got invalid value ${id}; ID cannot represent value: ${id}`;
      expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
    }
    expect(upstream.requests).toHaveLength(ids.length);
  },
);

test.for([
  [
    'first',
    'Int',
    '12345678901234567890',
    'Int cannot represent non 32-bit signed integer value: 12345678901234567890',
  ],
  ['first', 'Int', '-1.50', 'Int cannot represent non-integer value: -1.50'],
  ['after', 'String', '1e400', 'String cannot represent a non string value: 1e400'],
  ['filter', 'IpConnectionFilter', '0.5', 'Expected type "IpConnectionFilter" to be an object.'],
] as const)('%s, which is of type %s, does not take %s', async ([name, type, number, words], { gateway }) => {
  const query = `query ($v: ${type}) { ipConnections(${name}: $v) { totalCount } }`;
  const { errors } = await gateway.query(query, { variables: { v: rawNumber(number) } });
  expect(errors).toMatchObject([{ message: `Variable "$v" got invalid value ${number}; ${words}` }]);
});

const long = rawNumber(digits);

/** Where a number may stand: what comes of it. */
const nested: readonly (readonly [what: string, query: string, variables: object, data: object])[] = [
  [
    'an ID within a filter',
    'query($f: WebhookDeliveryFilter) { webhookDeliveries(filter: $f) { nodes { id } } }',
    { f: { connectionId: long } },
    { webhookDeliveries: { nodes: [{ id: 'of-499' }] } },
  ],
  [
    'a reference of federation, also in the query itself',
    `query($r: [_Any!]!) { a: _entities(representations: $r) { ... on IpConnection { id } }
      b: _entities(representations: [{ __typename: "IpConnection", id: ${digits} }]) { ... on IpConnection { id } } }`,
    { r: [{ __typename: 'IpConnection', id: long }] },
    { a: [{ id: digits }], b: [{ id: digits }] },
  ],
  [
    'an ID beside what only graphql-js executes',
    'query($id: ID!) { __type(name: "Mission") { name } ipConnection(id: $id) { id } }',
    { id: long },
    { __type: { name: 'Mission' }, ipConnection: { id: digits } },
  ],
  [
    'an Int in another spelling',
    'query($n: Int!) { ipConnections(first: $n) { nodes { id } } }',
    { n: rawNumber('20e-1') },
    { ipConnections: { nodes: rows.slice(0, 2) } },
  ],
];

test.for(nested)('%s is read digit for digit', async ([, query, variables, data], { startWith, upstream }) => {
  const ofConnection = (id: string, owner: string) =>
    webhookDeliveryRecord({ id, webhook: { payload: { connection_id: owner } } });
  const deliveries = [ofConnection('of-499', digits), ofConnection('of-500', '1293384261075731500')];
  upstream.script((request) => pageReply(request.path === '/webhook_deliveries' ? deliveries : rows, request));
  const gateway = await startWith(settings);
  for (const [name, way] of Object.entries(ways)) expect(await way(gateway, query, variables), name).toEqual({ data });
});

test('arguments of tools are read digit for digit, within bounds', async ({ startWith, upstream }) => {
  upstream.script((request) => pageReply(rows, request));
  const gateway = await startWith(settings);
  const said = async (name: string, argument: string, number: string): Promise<string> =>
    textsOf(await callTool(gateway, name, { [argument]: rawNumber(number) })).join('');
  for (const id of ids) expect(await said('connection', 'id', id)).toContain(`"id":"${id}"`);
  for (const id of noIds) expect(await said('connection', 'id', id)).toContain(`ID cannot represent value: ${id}`);
  for (const first of ['1e3', '1000.0', '12345678901234567890', '0.0', '-1e0'])
    expect(await said('newest_missions', 'first', first)).toMatch(
      new RegExp(`must be from 1 to \\d+; it was ${first}\\.`),
    );
  expect(upstream.requests).toHaveLength(ids.length);
});
