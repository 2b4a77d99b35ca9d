import { describe } from 'vitest';
import { expect, test, type Gateway, type QueryOptions } from '../support/gateway.ts';
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
    _entities(representations: $references) {
      __typename
      ... on IpConnection { id }
      ... on Mission { id }
      ... on WebhookDelivery { id }
    }
  }
`;

/** A reference as a router sends it. */
interface Reference {
  readonly __typename: string;
  readonly id: string;
}

function reference(type: string, id: string): Reference {
  return { __typename: type, id };
}

/** Asks a gateway for the entities behind references, as a router does. */
async function askEntities(
  gateway: Gateway,
  references: readonly unknown[],
  { document = entitiesQuery, ...options }: QueryOptions & { readonly document?: string } = {},
) {
  const {
    status,
    data: { _entities: entities },
    errors,
  } = await gateway.query(document, { ...options, variables: { references } });
  return { status, entities: entities as readonly unknown[], errors };
}

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

  test('an empty list of references is empty, without an upstream call', async ({ gateway, upstream }) => {
    const { entities, errors } = await askEntities(gateway, []);
    expect({ entities, errors }).toEqual({ entities: [], errors: [] });
    expect(upstream.requests).toEqual([]);
  });

  test('lead to any field of their type, and may carry more than their key', async ({ gateway, upstream }) => {
    upstream.script(lists);
    const document = `query ($references: [_Any!]!) {
      _entities(representations: $references) { ... on IpConnection { id connectionName nodeId } }
    }`;
    const { entities, errors } = await askEntities(
      gateway,
      [{ ...reference('IpConnection', 'c1'), connectionName: 'of another subgraph' }],
      { document },
    );
    expect(errors).toEqual([]);
    expect(entities).toEqual([{ id: 'c1', connectionName: 'Line 1', nodeId: expect.any(String) }]);
  });
});

describe('a reference that cannot be used', () => {
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

test('without a key each reference is UNAUTHENTICATED, without an upstream call', async ({ gateway, upstream }) => {
  const references = [reference('Mission', 'a'), reference('IpConnection', 'c1'), reference('Mission', 'b')];
  const { status, entities, errors } = await askEntities(gateway, references, { key: null });
  expect([status, entities]).toEqual([200, [null, null, null]]);
  const told = errors.map(({ path, extensions: { code } }) => `${path.join('.')} ${code}`);
  expect(told.sort()).toEqual([0, 1, 2].map((index) => `_entities.${index} UNAUTHENTICATED`));
  expect(upstream.requests).toEqual([]);
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

/** 200 references: the types take turns, and each type's are spread over `length` rows of its list, the last one included. */
function mixed(lengths: readonly [type: string, prefix: string, length: number][]): readonly Reference[] {
  const turns = 200 / lengths.length;
  return Array.from({ length: 200 }, (_, index) => {
    const [type, prefix, length] = lengths[index % lengths.length] ?? ['', '', 0];
    const turn = Math.floor(index / lengths.length);
    return reference(type, `${prefix}${Math.round(((length - 1) * turn) / (Math.ceil(turns) - 1))}`);
  });
}

const isMission = ({ __typename: type }: Reference): boolean => type === 'Mission';

function callsOf(requests: readonly { readonly path: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { path } of requests) counts[path] = (counts[path] ?? 0) + 1;
  return counts;
}

describe('200 references of three types in one request', () => {
  test('read a list of 12,000 to its end in 48 calls, while another type fails', async ({ gateway, upstream }) => {
    upstream.script((request) => (request.path === '/ai/missions' ? forbidden : lists(request)));
    const references = mixed([
      ['WebhookDelivery', 'd', 12_000],
      ['Mission', 'm', 230],
      ['IpConnection', 'c', 600],
    ]);
    const { entities, errors } = await askEntities(gateway, references);
    expect(entities).toEqual(references.map((wanted) => (isMission(wanted) ? null : wanted)));
    expect(errors.map(({ path, extensions: { code } }) => [path, code])).toEqual(
      references.flatMap((wanted, index) => (isMission(wanted) ? [[['_entities', index], 'FORBIDDEN']] : [])),
    );
    expect(callsOf(upstream.requests)).toEqual({ '/ip_connections': 3, '/ai/missions': 1, '/webhook_deliveries': 48 });
  });

  test('share one bound: rows beyond the pages that may be read are errors, found rows stay', async ({
    startWith,
    upstream,
  }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
    upstream.script(lists);
    const references = mixed([['IpConnection', 'c', 600]]);
    const { entities, errors } = await askEntities(gateway, references);
    const isWithin = ({ id }: Reference): boolean => Number(id.slice(1)) < 500;
    expect(entities).toEqual(references.map((wanted) => (isWithin(wanted) ? wanted : null)));
    expect(errors).toHaveLength(references.filter((wanted) => !isWithin(wanted)).length);
    for (const { extensions } of errors)
      expect(extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 500, actual: 600 });
    expect(callsOf(upstream.requests)).toEqual({ '/ip_connections': 2 });
  });
});
