import fc from 'fast-check';
import { largestPageSize, longestList } from '../../src/bounds.ts';
import { cursorsOf as encodeCursors } from '../../src/paging/cursor.ts';
import { describe, brief, expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { attemptAt, MovingUpstream, timestampAt } from '../support/moving-upstream.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { runs } from '../support/runs.ts';

/** The characters of base64url, each at its value. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');

/** A cursor of missions as somebody makes it up who knows how. */
function forged(position: number, total: number): string {
  const made = { list: 'GET /ai/missions?', from: position, total, moments: [null], direction: null, newest: null };
  return encodeCursors(() => ({ ...made, beside: { before: 0, after: 0 }, hashAt: () => 1 })).at(0);
}

type Argument = 'after' | 'before';

/** The cursors of a page of `field`, such as `missions(first: 5)`; those of a nested one at the path to it. */
async function cursorsOf(gateway: Gateway, field: string): Promise<readonly string[]> {
  const data = await gateway.data(`{ list: ${field} { edges { cursor } } }`);
  return data.list.edges.map(({ cursor }: { cursor: string }) => cursor);
}

const url = 'https://hooks.example.com/voice';

/** Lists of all three kinds, and connections that have deliveries. */
function scriptLists(upstream: ScriptedUpstream): void {
  const lists = [
    new MovingUpstream('/ip_connections', 60, () => ({ webhook_event_url: url })),
    new MovingUpstream('/ai/missions', 60),
    new MovingUpstream('/webhook_deliveries', 60, () => ({ attempts: [attemptAt(url)] })),
  ];
  upstream.script((request) => lists.find(({ path }) => path === request.path)?.answer(request) ?? { status: 404 });
}

/** Asks for a page at this cursor, and expects it to be refused before anything is called. */
async function expectRefusal(
  { gateway, upstream }: { readonly gateway: Gateway; readonly upstream: ScriptedUpstream },
  name: string,
  argument: Argument,
  cursor: string,
): Promise<void> {
  upstream.requests.length = 0;
  const [size, rest] = [argument === 'after' ? 'first' : 'last', name.includes('(') ? name.slice(0, -1) : `${name}(`];
  const document = `query ($cursor: String) { list: ${rest} ${size}: 2, ${argument}: $cursor) { nodes { id } } }`;
  const { data, errors, status } = await gateway.query(document, { variables: { cursor } });
  expect(status).toBe(200);
  expect(data).toEqual({ list: null });
  expect(brief(errors)).toEqual([`list BAD_USER_INPUT ${argument}`]);
  expect(errors[0].extensions).not.toHaveProperty('upstream');
  expect(upstream.requests).toEqual([]);
}

describe('a cursor is refused', () => {
  const lists = [
    'ipConnections',
    'ipConnections(filter: { connectionName: { eq: "a" } })',
    'ipConnections(filter: { connectionName: { contains: "abc" } })',
    'ipConnections(orderBy: { field: CONNECTION_NAME, direction: DESC })',
    'missions',
    'webhookDeliveries',
    'webhookDeliveries(filter: { startedAt: { gte: "2020-01-01T00:00:00Z" } })',
    'webhookDeliveries(filter: { status: { eq: "failed" } })',
  ];

  test('by any other list, filter and order', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 5);
    upstream.script((request) => ({ ...list.answer({ ...request, path: '/webhook_deliveries', query: {} }) }));
    const cursors = new Map<string, string>();
    for (const name of lists) cursors.set(name, (await cursorsOf(gateway, name))[1] ?? '');
    for (const name of lists) {
      for (const [origin, cursor] of cursors) {
        if (origin !== name) await expectRefusal({ gateway, upstream }, name, 'after', cursor);
      }
    }
  });

  test('after any change of a single character, and when it is any other text', async ({ gateway, upstream }) => {
    scriptLists(upstream);
    const [, cursor = ''] = await cursorsOf(gateway, 'missions(first: 5)');
    const at = fc.nat({ max: cursor.length - 1 });
    const character = fc.oneof(fc.constantFrom(...alphabet, '=', '+', '/', ' ', '\n'), fc.string({ maxLength: 1 }));
    const text = fc.oneof(
      // A character that takes the place of another, or of none.
      fc
        .tuple(at, character, fc.nat(1))
        .map(([from, other, taken]) => cursor.slice(0, from) + other + cursor.slice(from + taken)),
      fc.constantFrom('', '2', '__proto__', 'A'.repeat(80_000)),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.base64String({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 150 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom<Argument>('after', 'before'), async (tampered, argument) => {
        if (tampered !== cursor) await expectRefusal({ gateway, upstream }, 'missions', argument, tampered);
      }),
      { numRuns: runs(35) },
    );
  });

  test('beyond the longest list and one page more, and not before', async ({ gateway, upstream }) => {
    scriptLists(upstream);
    const [position, length] = [longestList + largestPageSize, longestList + 1];
    for (const far of [forged(position, 5), forged(1, length - 1)]) {
      const { errors } = await gateway.query(`{ missions(first: 2, after: "${far}") { nodes { id } } }`);
      expect(errors.map(({ extensions }) => extensions.code)).not.toContain('BAD_USER_INPUT');
    }
    for (const beyond of [forged(position + 1, 5), forged(1, length)])
      await expectRefusal({ gateway, upstream }, 'missions', 'after', beyond);
  });

  test('between a list and a relation, and between two relations', async ({ gateway, upstream }) => {
    const connections = new MovingUpstream('/ip_connections', 2, () => ({ webhook_event_url: url }));
    const deliveries = new MovingUpstream('/webhook_deliveries', 9, (index) => ({
      webhook: { payload: { connection_id: `row-${index % 2}` } },
      attempts: [attemptAt(url)],
    }));
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const relation = (args: string): string => `{ ipConnections {
      nodes { webhookDeliveries(${args}) { edges { cursor } } } pageInfo { endCursor } } }`;
    const { data } = await gateway.query(relation('first: 3'));
    const [one, two] = data.ipConnections.nodes.map((node: any) => node.webhookDeliveries.edges[0].cursor);
    const filtered = `webhookDeliveries(filter: { attempts: { contains: "${url}" } })`;
    for (const name of ['webhookDeliveries', 'ipConnections', filtered])
      await expectRefusal({ gateway, upstream }, name, 'after', one);
    const [listed] = await cursorsOf(gateway, 'webhookDeliveries(first: 3)');
    for (const [cursor, refused] of [
      [one, [1]],
      [two, [0]],
      [listed, [0, 1]],
      [data.ipConnections.pageInfo.endCursor, [0, 1]],
    ] as const) {
      const answer = await gateway.query(relation(`first: 3, after: ${JSON.stringify(cursor)}`));
      expect(brief(answer.errors)).toEqual(
        refused.map((index) => `ipConnections.nodes.${index}.webhookDeliveries BAD_USER_INPUT after`),
      );
    }
  });
});

test('a cursor reveals nothing, and is the same for the same place', async ({ gateway, upstream }) => {
  const list = new MovingUpstream('/ip_connections', 5, () => ({ connection_name: 'Head office' }));
  upstream.script(list.answer);
  const cursors = await cursorsOf(gateway, 'ipConnections');
  expect(new Set(cursors).size).toBe(5);
  expect(await cursorsOf(gateway, 'ipConnections')).toEqual(cursors);
  const plain = cursors.map((cursor) => Buffer.from(cursor, 'base64url').toString()).join(' ');
  expect(plain).not.toMatch(/row-\d|office|test-key/i);
  expect(plain).not.toContain(timestampAt(0));
});
