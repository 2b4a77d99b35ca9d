import { describe } from 'vitest';
import { expect, test } from '../support/gateway.ts';
import { pageReply, refusal, type Script } from '../support/scripted-upstream.ts';
import { askEntities, reference } from './reference.ts';

const connections = Array.from({ length: 600 }, (_, index) => ({ id: `c${index}`, connection_name: `Line ${index}` }));
const missions = [{ mission_id: 'a', name: 'Reminders' }, { mission_id: 'b' }];
const lists: Script = (request) =>
  request.path === '/ip_connections' ? pageReply(connections, request) : pageReply(missions, request, 1000);
const forbidden = refusal(403, '10010', 'Not allowed', 'No.');

describe('references', () => {
  test('resolve in their order, repetitions included, unknown ones to null', async ({ gateway, upstream }) => {
    upstream.script(lists);
    const { entities, errors } = await askEntities(gateway, [
      reference('Mission', 'b'),
      reference('IpConnection', 'c7'),
      reference('Mission', 'nobody'),
      reference('Mission', 'b'),
      reference('IpConnection', 'c7'),
      reference('Mission', 'a'),
    ]);
    expect(errors).toEqual([]);
    const b = { __typename: 'Mission', id: 'b' };
    const c7 = { __typename: 'IpConnection', id: 'c7' };
    expect(entities).toEqual([b, c7, null, b, c7, { __typename: 'Mission', id: 'a' }]);
    expect(upstream.requests.map(({ path }) => path).sort()).toEqual(['/ai/missions', '/ip_connections']);
  });

  test('may carry more than their key', async ({ gateway, upstream }) => {
    upstream.script(lists);
    const { entities } = await askEntities(gateway, [
      { ...reference('Mission', 'a'), name: 'of another subgraph', nodeId: 3 },
    ]);
    expect(entities).toEqual([{ __typename: 'Mission', id: 'a' }]);
  });

  test('an empty list of references is empty, without an upstream call', async ({ gateway, upstream }) => {
    const { entities, errors } = await askEntities(gateway, []);
    expect({ entities, errors }).toEqual({ entities: [], errors: [] });
    expect(upstream.requests).toEqual([]);
  });

  test('lead to any field of their type', async ({ gateway, upstream }) => {
    upstream.script(lists);
    const document = `query ($references: [_Any!]!) {
      _entities(representations: $references) { ... on IpConnection { id connectionName nodeId } }
    }`;
    const { entities, errors } = await askEntities(gateway, [reference('IpConnection', 'c1')], { document });
    expect(errors).toEqual([]);
    expect(entities).toEqual([{ id: 'c1', connectionName: 'Line 1', nodeId: expect.any(String) }]);
  });
});

describe('a reference that cannot be used', () => {
  test.for<[unknown, string]>([
    [{ __typename: 'PageInfo', id: 'a' }, '__typename'],
    [{ __typename: 'Node', id: 'a' }, '__typename'],
    [{ __typename: 'toString', id: 'a' }, '__typename'],
    [{ __typename: 7, id: 'a' }, '__typename'],
    [{ id: 'a' }, '__typename'],
    ['IpConnection', '__typename'],
    [[], '__typename'],
    [{ __typename: 'Mission' }, 'id'],
    [{ __typename: 'Mission', id: null }, 'id'],
    [{ __typename: 'Mission', id: 7.5 }, 'id'],
    [{ __typename: 'Mission', id: true }, 'id'],
    [{ __typename: 'Mission', id: ['a'] }, 'id'],
    [{ __typename: 'Mission', nodeId: 'a' }, 'id'],
  ])('fails alone, in its place: %j', async ([bad, name], { gateway, upstream }) => {
    upstream.script(lists);
    const { status, entities, errors } = await askEntities(gateway, [
      reference('Mission', 'a'),
      bad,
      reference('Mission', 'b'),
    ]);
    expect(status).toBe(200);
    expect(entities).toEqual([{ __typename: 'Mission', id: 'a' }, null, { __typename: 'Mission', id: 'b' }]);
    expect(errors).toMatchObject([
      { path: ['_entities', 1], extensions: { code: 'BAD_USER_INPUT', argument: ['representations', 1, name] } },
    ]);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('without a key', () => {
  test('each reference is UNAUTHENTICATED, without an upstream call', async ({ gateway, upstream }) => {
    const references = [reference('Mission', 'a'), reference('IpConnection', 'c1'), reference('Mission', 'b')];
    const { status, entities, errors } = await askEntities(gateway, references, { key: null });
    expect(status).toBe(200);
    expect(entities).toEqual([null, null, null]);
    expect(errors.map(({ path: [field, index] }) => `${field} ${index}`).sort()).toEqual([
      '_entities 0',
      '_entities 1',
      '_entities 2',
    ]);
    expect(new Set(errors.map(({ extensions: { code } }) => code))).toEqual(new Set(['UNAUTHENTICATED']));
    expect(upstream.requests).toEqual([]);
  });
});

describe('a failing upstream', () => {
  test('fails the references that need it, and no others', async ({ gateway, upstream }) => {
    upstream.script((request) => (request.path === '/ai/missions' ? forbidden : lists(request)));
    const { entities, errors } = await askEntities(gateway, [
      reference('Mission', 'a'),
      reference('IpConnection', 'c1'),
      reference('Mission', 'b'),
    ]);
    expect(entities).toEqual([null, { __typename: 'IpConnection', id: 'c1' }, null]);
    const extensions = { code: 'FORBIDDEN', upstream: { operation: 'GET /ai/missions', status: 403, code: '10010' } };
    expect(errors).toMatchObject([
      { path: ['_entities', 0], extensions },
      { path: ['_entities', 2], extensions },
    ]);
  });

  test('in the middle of a list keeps the rows found before it', async ({ gateway, upstream }) => {
    upstream.script((request) => (request.query['page[number]'] === '1' ? lists(request) : forbidden));
    const { entities, errors } = await askEntities(gateway, [
      reference('IpConnection', 'c1'),
      reference('IpConnection', 'c599'),
    ]);
    expect(entities).toEqual([{ __typename: 'IpConnection', id: 'c1' }, null]);
    expect(errors).toMatchObject([{ path: ['_entities', 1], extensions: { code: 'FORBIDDEN' } }]);
  });
});

describe('UPSTREAM_LOOKUP=retrieve', () => {
  test('retrieves each row once, a 404 is null, and a failure fails its own reference alone', async ({
    startWith,
    upstream,
  }) => {
    const gateway = await startWith({ UPSTREAM_LOOKUP: 'retrieve' });
    upstream.script(({ path }) => {
      const id = path.split('/').at(-1) ?? '';
      if (id === 'gone') return refusal(404, '10005', 'Not found');
      if (id === 'hidden') return forbidden;
      return { json: { data: path.startsWith('/ai/missions') ? { mission_id: id } : { id } } };
    });
    const { entities, errors } = await askEntities(gateway, [
      reference('Mission', 'a'),
      reference('Mission', 'gone'),
      reference('IpConnection', 'c1'),
      reference('Mission', 'a'),
      reference('WebhookDelivery', 'hidden'),
    ]);
    const a = { __typename: 'Mission', id: 'a' };
    expect(entities).toEqual([a, null, { __typename: 'IpConnection', id: 'c1' }, a, null]);
    expect(errors).toMatchObject([{ path: ['_entities', 4], extensions: { code: 'FORBIDDEN' } }]);
    expect(upstream.requests.map(({ path }) => path).sort()).toEqual([
      '/ai/missions/a',
      '/ai/missions/gone',
      '/ip_connections/c1',
      '/webhook_deliveries/hidden',
    ]);
  });
});
