import { describe } from 'vitest';
import { nodesPerField } from '../../../src/bounds.ts';
import { brief, expect, judge, test, type Gateway } from '../../support/gateway.ts';
import { serve } from '../../paging/contradiction/manner.ts';
import { MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import { refusal, type ScriptedUpstream, type SeenRequest } from '../../support/scripted-upstream.ts';
import { lookUpAll, nodeIdOf, scriptAll, scriptWith } from './kind.ts';

const nodesQuery = `query ($nodeIds: [ID!]!) {
  nodes(nodeIds: $nodeIds) {
    __typename nodeId
    ... on IpConnection { id connectionName }
    ... on Mission { id name }
    ... on WebhookDelivery { id startedAt }
  }
}`;

const refusesHints = ({ rawQuery }: SeenRequest) =>
  rawQuery.includes('started_at') ? { status: 400, json: {} } : null;

/** Looks up the deliveries at these places of their list; tells of each call whether it went by hints. */
async function lookUpAt(gateway: Gateway, upstream: ScriptedUpstream, indices: readonly number[]) {
  upstream.requests.length = 0;
  const nodeIds = indices.map((index) => nodeIdOf('WebhookDelivery', `row-${index}`, timestampAt(-index * 1000)));
  const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
  const ids = data.nodes.map((row: { readonly id: string } | null) => row?.id ?? null);
  if (errors.length === 0) expect(ids).toEqual(indices.map((index) => `row-${index}`));
  return { calls: upstream.requests.map(({ rawQuery }) => rawQuery.includes('started_at')), errors };
}

describe('nodes', () => {
  test('reads the list where the filter by many hints is refused', async ({ gateway, upstream }) => {
    scriptWith(upstream, new MovingUpstream('/webhook_deliveries', 300), refusesHints);
    const { calls, errors } = await lookUpAt(gateway, upstream, [0, 1, 2, 3, 4, 299]);
    expect([calls, errors]).toEqual([[true, false, false], []]);
  });

  test('spends half of the calls of a search on hints, and one at least', async ({ startWith, upstream }) => {
    scriptWith(upstream, new MovingUpstream('/webhook_deliveries', 100), refusesHints);
    for (const [pages, hinted] of [
      ['2', 1],
      ['4', 2],
      ['8', 3],
    ] as const) {
      const gateway = await startWith({ UPSTREAM_SCAN_PAGES: pages });
      const { calls, errors } = await lookUpAt(gateway, upstream, [0, 1, 2]);
      expect([calls.filter((isHint) => isHint).length, errors]).toEqual([hinted, []]);
    }
  });

  test('shares its search with look-ups by identifier', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const nodeIds = [nodeIdOf('Mission', 'row-3', null)];
    const { data } = await gateway.query(
      'query ($nodeIds: [ID!]!) { mission(id: "row-3") { id } nodes(nodeIds: $nodeIds) { ... on Mission { id } } }',
      { variables: { nodeIds } },
    );
    expect(data).toEqual({ mission: { id: 'row-3' }, nodes: [{ id: 'row-3' }] });
    expect(upstream.requests).toHaveLength(1);
  });

  test('takes as many as its bound, and refuses more before any call', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const nodeIds = Array.from({ length: nodesPerField + 1 }, (_, index) => nodeIdOf('Mission', `row-${index}`, null));
    const refused = await gateway.query(nodesQuery, { variables: { nodeIds } });
    expect(refused.data).toEqual({ nodes: null });
    expect(brief(refused.errors)).toEqual(['nodes BAD_USER_INPUT nodeIds']);
    expect(upstream.requests).toEqual([]);
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds: nodeIds.slice(1) } });
    expect(errors).toEqual([]);
    expect(data.nodes.filter((node: unknown) => node !== null)).toHaveLength(99);
    expect(upstream.requests).toHaveLength(1);
  });

  test('finds neighbouring deliveries together, and scattered ones one by one', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const callsFor = async (indices: readonly number[]): Promise<number> => {
      const { calls, errors } = await lookUpAt(gateway, upstream, indices);
      expect(errors).toEqual([]);
      return calls.length;
    };
    expect(await callsFor(Array.from({ length: 200 }, (_, index) => 4000 + index))).toBe(1);
    // The first page between them shows that there are three, and is not asked for again.
    expect(await callsFor(Array.from({ length: 10 }, (_, index) => 4000 + 60 * index))).toBe(3);
    // One call finds out how many lie between them.
    expect(await callsFor([0, 2000, 4000, 6000, 8000, 9999])).toBeLessThanOrEqual(7);
    expect(await callsFor([100, 9000])).toBe(2);
    expect(await callsFor([100, 3000, 6000, 9000])).toBe(4);
    expect(upstream.requests.map(({ query }) => query['page[size]'])).toEqual(Array(4).fill('250'));
  });

  test('searches the part of the list between its hints as far as its calls reach', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '4' });
    scriptAll(upstream);
    const places = [4000, 4200, 4400, 4600];
    const near = await lookUpAt(gateway, upstream, [...places, 4999]);
    expect([near.calls, near.errors]).toEqual([Array(4).fill(true), []]);
    const far = await lookUpAt(gateway, upstream, [...places, 5000]);
    expect(far.errors[0]?.extensions['code']).toBe('QUERY_TOO_COMPLEX');
  });

  test('finds deliveries where the list does not say how long it is', async ({ gateway, upstream }) => {
    upstream.script(serve(new MovingUpstream('/webhook_deliveries', 1_000), { metaOf: () => ({}) }));
    const { calls, errors } = await lookUpAt(gateway, upstream, [0, 200, 400, 600, 800, 999]);
    // The first page of all between them has two.
    expect([calls.filter((isHint) => isHint).length, errors]).toEqual([5, []]);
    upstream.requests.length = 0;
    const gone = [1, 2, 3, 4, 5].map((second) => nodeIdOf('WebhookDelivery', `gone-${second}`, timestampAt(-second)));
    expect((await gateway.query(nodesQuery, { variables: { nodeIds: gone } })).data.nodes).toEqual(Array(5).fill(null));
    expect(upstream.requests.filter(({ rawQuery }) => rawQuery.includes('started_at'))).toHaveLength(1);
  });

  test('gives a row one nodeId in a list, a look-up and node', async ({ gateway, upstream }) => {
    const names = ['Büro "1"', '', null, '😀', 'n'.repeat(5000), 'a\uD800'];
    const list = new MovingUpstream('/ip_connections', names.length, (index) => ({ connection_name: names[index] }));
    upstream.script(list.answer);
    const listed = await gateway.query('{ ipConnections { nodes { nodeId } } }');
    const nodeIds: readonly string[] = listed.data.ipConnections.nodes.map(({ nodeId }: { nodeId: string }) => nodeId);
    const looked = await gateway.query(lookUpAll('ipConnection', list.ids));
    expect(list.ids.map((_id, index) => looked.data[`a${index}`].nodeId)).toEqual(nodeIds);
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
    // Half of a character cannot be represented.
    expect(brief(errors)).toEqual(['nodes.5.connectionName UPSTREAM_BAD_RESPONSE']);
    expect(data.nodes.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(nodeIds);
  });

  test('reports the failures of its first positions, and counts all failures', async ({ startWith, upstream }) => {
    upstream.script((request) =>
      request.path === '/ai/missions'
        ? refusal(401, '10009', 'Authentication failed')
        : { json: { data: [{ id: 'c1' }], meta: { total_results: 1 } } },
    );
    const four = [
      nodeIdOf('Mission', 'm', null),
      'bad',
      ...['c1', 'x'].map((id) => nodeIdOf('IpConnection', id, null)),
    ];
    const nodeIds = Array.from({ length: 100 }, () => four).flat();
    const found = { __typename: 'IpConnection', nodeId: four[2] };
    for (const options of [{}, judge]) {
      const gateway = await startWith({}, options);
      const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
      expect(data.nodes).toMatchObject(nodeIds.map((id) => (id === four[2] ? found : null)));
      expect(brief(errors)).toEqual(
        Array.from({ length: 50 }, (_, index) => 4 * index).flatMap((at) => [
          `nodes.${at} UNAUTHENTICATED`,
          `nodes.${at + 1} BAD_USER_INPUT nodeIds.${at + 1}`,
        ]),
      );
      expect(errors.at(-1)?.message).toMatch(/\(100 more errors of this response are not reported\.\)$/);
    }
  });
});
