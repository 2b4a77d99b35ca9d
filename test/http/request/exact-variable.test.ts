import { expect, type Gateway, offFastPath, testOfFile as test } from '../../support/gateway.ts';
import { openSocket } from '../../support/streams.ts';
import { rawNumber, webhookDeliveryRecord } from '../../support/records.ts';
import { pageReply } from '../../support/scripted-upstream.ts';
import { callTool, textsOf } from '../../support/tool-client.ts';

interface Answer {
  // Tests read results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data?: any;
  readonly errors?: readonly { readonly message: string; readonly extensions: Readonly<Record<string, unknown>> }[];
}
type Way = (gateway: Gateway, query: string, variables: object) => Promise<Answer>;

const headers = { 'content-type': 'application/json', authorization: 'Bearer test-key' };
const post = async (gateway: Gateway, body: object, method = 'POST', more = {}): Promise<Answer> =>
  (
    await gateway.fetch('/graphql', { method, headers: { ...headers, ...more }, body: JSON.stringify(body) })
  ).json() as Answer;
const get = async (gateway: Gateway, parameters: Readonly<Record<string, unknown>>): Promise<Answer> => {
  const { query, ...others } = parameters;
  const entries = Object.entries(others).map(([name, value]) => [name, JSON.stringify(value)]);
  const search = new URLSearchParams([['query', String(query)], ...entries]);
  return (await gateway.fetch(`/graphql?${search}`, { headers })).json() as Answer;
};

const ways: Readonly<Record<string, Way>> = {
  'POST on the fast path': (gateway, query, variables) => post(gateway, { query, variables }),
  'POST through Yoga': (gateway, query, variables) => post(gateway, { query, variables, extensions: offFastPath }),
  QUERY: (gateway, query, variables) => post(gateway, { query, variables }, 'QUERY'),
  'GET on the fast path': (gateway, query, variables) => get(gateway, { query, variables }),
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
/** A tool names its own argument. */
const ofTool = ({ message, code }: { readonly message: string; readonly code: string }) => ({
  message: message.replace(/^Argument "variables\.(\w+)"/, 'Variable "$$$1"'),
  extensions: { code },
});

const settings = { MCP: 'true', MCP_QUERIES: 'true', INTROSPECTION: 'true' };
const byId = 'query($id: ID!) { ipConnection(id: $id) { id } }';
const digits = '1293384261075731499';
const ids = [digits, '-9007199254740993', '9007199254740993', '12345678901234567000', '7', '0', `1${'0'.repeat(300)}1`];
const rows = ids.map((id) => ({ id }));

test.for(Object.keys(ways))(
  'an ID that is an integer is read digit for digit, by %s',
  async (way, { startWith, upstream }) => {
    upstream.script((request) => pageReply(rows, request));
    const gateway = await startWith(settings);
    for (const id of ids)
      expect(await ways[way]?.(gateway, byId, { id: rawNumber(id) }), id).toEqual({ data: { ipConnection: { id } } });
    const { length } = upstream.requests;
    expect(length).toBe(ids.length);
  },
);

const noIds = ['1.0', '1e3', '1E+21', '1e+21', '0.5', '-1.50', '1e400', '12345678901234567890.0', '1e-7'];

test.for(Object.keys(ways))(
  'an ID that is another number is refused as it was sent, by %s',
  async (way, { startWith, upstream }) => {
    const gateway = await startWith(settings);
    for (const id of noIds) {
      const { data, errors } = (await ways[way]?.(gateway, byId, { id: rawNumber(id) })) ?? {};
      expect(data).toBeUndefined();
      expect(errors).toMatchObject([
        {
          message: `Variable "$id" got invalid value ${id}; ID cannot represent value: ${id}`,
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
    }
    expect(upstream.requests).toEqual([]);
  },
);

const long = rawNumber(digits);
const unsafe = '12345678901234567890';

/** Where a number may stand: what comes of it. */
const nested: readonly (readonly [what: string, query: string, variables: object, data: object])[] = [
  [
    'an ID within a filter',
    'query($f: WebhookDeliveryFilter) { webhookDeliveries(filter: $f) { nodes { id } } }',
    { f: { connectionId: long } },
    { webhookDeliveries: { nodes: [{ id: 'of-499' }] } },
  ],
  [
    'references of federation',
    'query($r: [_Any!]!) { _entities(representations: $r) { ... on IpConnection { id } } }',
    {
      r: [
        { __typename: 'IpConnection', id: long },
        { __typename: 'IpConnection', id: 7 },
      ],
    },
    { _entities: [{ id: digits }, { id: '7' }] },
  ],
  [
    'an ID beside what only graphql-js executes',
    'query($id: ID!) { __type(name: "Mission") { name } ipConnection(id: $id) { id } }',
    { id: long },
    { __type: { name: 'Mission' }, ipConnection: { id: digits } },
  ],
  [
    'an Int in other spellings',
    'query($n: Int!) { ipConnections(first: $n) { nodes { id } } }',
    { n: rawNumber('20e-1') },
    { ipConnections: { nodes: [{ id: '1' }, { id: '2' }].map((_, index) => ({ id: ids[index] })) } },
  ],
];

test.for(nested)(
  '%s is read digit for digit, on every way',
  async ([, query, variables, data], { startWith, upstream }) => {
    const deliveries = [
      webhookDeliveryRecord({ id: 'of-499', webhook: { payload: { connection_id: digits } } }),
      webhookDeliveryRecord({ id: 'of-500', webhook: { payload: { connection_id: '1293384261075731500' } } }),
    ];
    upstream.script((request) => pageReply(request.path === '/webhook_deliveries' ? deliveries : rows, request));
    const gateway = await startWith(settings);
    for (const [name, way] of Object.entries(ways))
      expect(await way(gateway, query, variables), name).toEqual({ data });
  },
);

test('the arguments of a tool are read digit for digit, and kept within their bounds', async ({
  startWith,
  upstream,
}) => {
  upstream.script((request) => pageReply(rows, request));
  const gateway = await startWith(settings);
  for (const id of ids)
    expect(textsOf(await callTool(gateway, 'connection', { id: rawNumber(id) })).join('')).toContain(`"id":"${id}"`);
  for (const id of noIds)
    expect(textsOf(await callTool(gateway, 'connection', { id: rawNumber(id) })).join('')).toContain(
      `ID cannot represent value: ${id}`,
    );
  const { length } = upstream.requests;
  for (const first of ['1e3', '1000.0', unsafe, '0.0', '-1e0'])
    expect(textsOf(await callTool(gateway, 'newest_missions', { first: rawNumber(first) })).join('')).toMatch(
      new RegExp(`must be from 1 to \\d+; it was ${first}\\.`),
    );
  expect(upstream.requests.length).toBe(length);
});
