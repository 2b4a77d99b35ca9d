import { argumentTextBytes } from '../../src/bounds.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { pageReply, refusal, type Script } from '../support/scripted-upstream.ts';

const connections = Array.from({ length: 600 }, (_, index) => ({ id: `c${index}`, connection_name: `Line ${index}` }));
const missions = Array.from({ length: 230 }, (_, index) => ({ mission_id: `m${index}` }));
const deliveries = Array.from({ length: 12_000 }, (_, index) => ({ id: `d${index}` }));
const lists: Script = (request) => {
  if (request.path === '/ai/missions')
    return pageReply([{ mission_id: 'a' }, { mission_id: 'b' }, ...missions], request, 1000);
  return pageReply(request.path === '/ip_connections' ? connections : deliveries, request);
};
const forbidden = refusal(403, '10010', 'Not allowed', 'No.');

/** A router's query to a subgraph: the entities of references, here of every type. */
const entitiesQuery = `
  query ($references: [_Any!]!) {
    found: _entities(representations: $references) {
      __typename
      ... on IpConnection { id connectionName }
      ... on Mission { id }
      ... on WebhookDelivery { id }
    }
  }
`;

/** A reference as a router sends it. */
const reference = (type: string, id: string) => ({ __typename: type, id });

/** Asks a gateway for the entities behind references, as a router does. */
async function askEntities(gateway: Gateway, references: readonly unknown[]) {
  const { status, data, errors } = await gateway.query(entitiesQuery, { variables: { references } });
  return { status, entities: data.found as readonly unknown[], errors };
}

// The search behind them is that of `nodes`: what it does without a key, where pages fail, and by single rows, lists/look-up has.

test('references resolve in their order, repetitions included, unknown ones to null', async ({ gateway, upstream }) => {
  upstream.script(lists);
  expect(await askEntities(gateway, [])).toEqual({ status: 200, entities: [], errors: [] });
  expect(upstream.requests).toEqual([]);
  const { entities, errors } = await askEntities(gateway, [
    reference('Mission', 'b'),
    { ...reference('IpConnection', 'c7'), connectionName: 'of another subgraph' },
    reference('Mission', 'nobody'),
    reference('Mission', 'b'),
    reference('IpConnection', 'c7'),
  ]);
  expect(errors).toEqual([]);
  const b = { __typename: 'Mission', id: 'b' };
  const c7 = { __typename: 'IpConnection', id: 'c7', connectionName: 'Line 7' };
  expect(entities).toEqual([b, c7, null, b, c7]);
  expect(upstream.requests.map(({ path }) => path).sort()).toEqual(['/ai/missions', '/ip_connections']);
});

test.for<[unknown, string]>([
  [{ __typename: 'PageInfo', id: 'a' }, '__typename'],
  [{ __typename: 'toString', id: 'a' }, '__typename'],
  [{ __typename: 7, id: 'a' }, '__typename'],
  [{ id: 'a' }, '__typename'],
  ['IpConnection', '__typename'],
  [{ __typename: 'Mission' }, 'id'],
  [{ __typename: 'Mission', id: null }, 'id'],
  [{ __typename: 'Mission', id: 7.5 }, 'id'],
  [{ __typename: 'Mission', nodeId: 'a' }, 'id'],
  [{ __typename: 'Mission', id: 'x'.repeat(argumentTextBytes + 1) }, 'id'],
])('a reference that cannot be used fails alone, in its place: %j', async ([bad, name], { gateway, upstream }) => {
  upstream.script(lists);
  const { status, entities, errors } = await askEntities(gateway, [
    reference('Mission', 'a'),
    bad,
    reference('Mission', 'b'),
  ]);
  expect(status).toBe(200);
  expect(entities).toEqual([{ __typename: 'Mission', id: 'a' }, null, { __typename: 'Mission', id: 'b' }]);
  expect(errors).toMatchObject([
    { path: ['found', 1], extensions: { code: 'BAD_USER_INPUT', argument: ['representations', 1, name] } },
  ]);
  expect(upstream.requests).toHaveLength(1);
});

test('200 references of three types read 12,000 rows in 48 calls, while one fails', async ({ gateway, upstream }) => {
  upstream.script((request) => (request.path === '/ai/missions' ? forbidden : lists(request)));
  const last = { IpConnection: ['c', 599], Mission: ['m', 229], WebhookDelivery: ['d', 11_999] } as const;
  const references = Array.from({ length: 66 }, (_, turn) =>
    Object.entries(last).map(([type, [prefix, end]]) => reference(type, `${prefix}${Math.round((end * turn) / 65)}`)),
  ).flat();
  const { entities, errors } = await askEntities(gateway, references);
  const isMission = ({ __typename: type }: ReturnType<typeof reference>): boolean => type === 'Mission';
  expect(entities).toMatchObject(references.map((wanted) => (isMission(wanted) ? null : wanted)));
  expect(errors.map(({ path, extensions: { code } }) => `${path.join('.')} ${code}`)).toEqual(
    references.flatMap((wanted, index) => (isMission(wanted) ? [`found.${index} FORBIDDEN`] : [])),
  );
  const calls = Object.entries(Object.groupBy(upstream.requests, ({ path }) => path));
  expect(Object.fromEntries(calls.map(([path, made]) => [path, made?.length]))).toEqual({
    '/ip_connections': 3,
    '/ai/missions': 1,
    '/webhook_deliveries': 48,
  });
});
