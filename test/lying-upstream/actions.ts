import { expect } from 'vitest';
import type { Random } from '../../src/sandbox/random.ts';
import { nodeIdOf } from '../lists/look-up/kind.ts';
import { pageQuery, type Answer, type Ask, type Page, type Window } from './client.ts';
import type { LyingList } from './lying-list.ts';
import { expectInfo, expectPage } from './page-check.ts';

/** What came of an action. */
export type Outcome = 'right' | 'error' | 'exhausted' | 'deceived';

export interface Scene {
  readonly ask: Ask;
  readonly list: LyingList;
  readonly random: Random;
  /** The lists of connections and deliveries that relations go between; one of them is `list`. */
  readonly others: Readonly<Record<'connections' | 'deliveries', LyingList>>;
}

/** Something that a client does, and what must come of it. */
export type Action = (scene: Scene) => Promise<Outcome>;

const codes = ['UPSTREAM_BAD_RESPONSE', 'UPSTREAM_ERROR', 'UPSTREAM_UNAVAILABLE', 'QUERY_TOO_COMPLEX'];

const mostOnTop = 300;

/** Errors may be the upstream's or the search's own, and never the caller's. */
export function outcomeOf({ errors, cost }: Answer): Outcome {
  // The estimate is that of an upstream that keeps its contract and stands still; what others cost on top is bounded, too.
  expect(cost.upstreamCalls, 'calls in all').toBeLessThanOrEqual(cost.estimated + mostOnTop);
  for (const { message, extensions } of errors) {
    expect(codes, message).toContain(extensions.code);
    expect(extensions.argument, message).toBe(undefined);
  }
  if (errors.length === 0) return 'right';
  return errors.every(({ extensions }) => extensions.code === 'QUERY_TOO_COMPLEX') ? 'exhausted' : 'error';
}

const sizes = [0, 1, 2, 3, 5, 10, 20, 20, 24, 50, 100, 101, 249, 250, 251, 500];

/** Asks for one page; null where there is an error instead. */
export async function readPage({ ask, list }: Scene, window: Window): Promise<Page | null> {
  list.told.length = 0;
  const answer = await ask(pageQuery(list.noun), { ...window });
  const outcome = outcomeOf(answer);
  expect(answer.data.list === null, 'an error and no page, or a page').toBe(outcome !== 'right');
  return answer.data.list;
}

/** A page without a cursor. */
const window: Action = async (scene) => {
  const { list, random } = scene;
  const size = random.pick(sizes);
  const near = random.int(0, list.rows.length + 3);
  const asked = random.pick<Window>([
    { first: size },
    { first: size, offset: near },
    { last: size },
    { first: size, last: random.pick(sizes) },
  ]);
  const page = await readPage(scene, asked);
  if (page === null) return 'error';
  expectPage(page, asked, list);
  return 'right';
};

/** The length alone. */
const count: Action = async ({ ask, list }) => {
  list.told.length = 0;
  const answer = await ask(`{ list: ${list.noun.list} { totalCount } }`);
  const outcome = outcomeOf(answer);
  if (outcome !== 'right') return outcome;
  if (answer.data.list.totalCount !== null)
    expect([list.ids.length, ...list.told]).toContain(answer.data.list.totalCount);
  return 'right';
};

/** Page after page, forward or backward, until there is none or an error comes. */
const chain: Action = async (scene) => {
  const { list, random } = scene;
  const size = random.pick([1, 3, 10, 20, 24, 50, 125, 250]);
  const isForward = random.chance(0.7);
  const turns = random.int(2, 5);
  const { ids } = list;
  let cursor: string | null = null;
  let [low, high] = [0, 0];
  for (let turn = 0; turn < turns; turn++) {
    const place = cursor === null ? {} : isForward ? { after: cursor } : { before: cursor };
    const page: Page | null = await readPage(scene, { ...(isForward ? { first: size } : { last: size }), ...place });
    if (page === null) return 'error';
    if (turn === 0) {
      const from = expectPage(page, isForward ? { first: size } : { last: size }, list);
      low = page.nodes.length === 0 ? 0 : from;
      high = low + page.nodes.length;
    } else {
      const from = placeIn(page, isForward ? high : Math.max(0, low - page.nodes.length), list);
      for (const [index, { id }] of page.nodes.entries())
        expect(
          id === ids[from + index] || list.shown.get(id)?.has(from + index) === true,
          `${id} as row ${from + index}, ${size} a page, turn ${turn}`,
        ).toBe(true);
      expect(new Set(page.nodes.map(({ id }) => id)).size).toBe(page.nodes.length);
      const isFull = page.nodes.length === Math.min(size, isForward ? ids.length - from : from + page.nodes.length);
      const end = (isForward ? from : 0) + page.nodes.length;
      const isBelieved = list.told.some((length) => length <= end);
      expect(isFull || isBelieved, 'a page as long as the list allows').toBe(true);
      expectInfo(page, from, page.nodes.length === size, list);
      [low, high] = [from, from + page.nodes.length];
    }
    cursor = isForward ? page.pageInfo.endCursor : page.pageInfo.startCursor;
    if (cursor === null || !(isForward ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage)) return 'right';
  }
  return 'right';
};

/** Where a page stands: where the one before it led, or one row off where that was shown in another row's place. */
function placeIn({ nodes }: Page, expected: number, { ids, lies }: LyingList): number {
  if (lies.rows !== 'repeated' || nodes.length === 0) return expected;
  return (
    [expected, expected - 1, expected + 1].find((from) => nodes.at(-1)?.id === ids[from + nodes.length - 1]) ?? expected
  );
}

/** Some rows by their identifiers, and some that are not there. */
const lookUp: Action = async (scene) => {
  const { ask, list, random } = scene;
  const ids = someIds(scene);
  const { one, type } = list.noun;
  const isReferred = random.chance(0.3);
  const asked = isReferred
    ? `_entities(representations: [${ids.map((id) => `{ __typename: "${type}", id: "${id}" }`).join(', ')}]) { ... on ${type} { id } }`
    : ids.map((id, index) => `a${index}: ${one}(id: "${id}") { id }`).join(' ');
  list.told.length = 0;
  const before = list.calls;
  const answer = await ask(`{ ${asked} }`);
  const outcome = outcomeOf(answer);
  expect(list.calls - before, 'calls of one look-up').toBeLessThanOrEqual(scanPages);
  expectFound(scene, ids, answer, (index) => (isReferred ? ['_entities', index] : [`a${index}`]));
  return outcome;
};

/** The same by `nodeId`, some with hints that are out of date. */
const nodes: Action = async (scene) => {
  const { ask, list, random } = scene;
  const ids = someIds(scene);
  const hintName = { IpConnection: 'connection_name', Mission: null, WebhookDelivery: 'started_at' }[list.noun.type];
  const nodeIds = ids.map((id) => {
    const row = random.chance(0.2) ? list.rows[0] : list.rows.find((each) => list.idOf(each) === id);
    const hint = hintName === null || row === undefined ? null : String(row[hintName]);
    return nodeIdOf(list.noun.type, id, hint);
  });
  list.told.length = 0;
  const before = list.calls;
  const answer = await ask(`query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on ${list.noun.type} { id } } }`, {
    ids: nodeIds,
  });
  const outcome = outcomeOf(answer);
  expect(list.calls - before, 'calls of one look-up').toBeLessThanOrEqual(scanPages);
  expectFound(scene, ids, answer, (index) => ['nodes', index]);
  return outcome;
};

/** As the gateway of the model is set. */
export const scanPages = 60;

function someIds({ list, random }: Scene): readonly string[] {
  const { ids } = list;
  const length = random.pick([1, 1, 1, 2, 7]);
  const some = Array.from({ length }, (_, index) =>
    ids.length > 0 && random.chance(0.7) ? random.pick(ids) : `nobody ${index}`,
  );
  return [...new Set(some)];
}

type Path = readonly (string | number)[];

/** Each is there, or null as it is not in the list that the upstream tells of, or an error. */
function expectFound({ list }: Scene, ids: readonly string[], answer: Answer, pathOf: (index: number) => Path): void {
  const failed = new Set(answer.errors.map(({ path = [] }) => path.join()));
  for (const [index, id] of ids.entries()) {
    const path = pathOf(index);
    const found = path.reduce((value, name) => value?.[name], answer.data);
    if (failed.has(path.join()) || failed.has(String(path[0]))) continue;
    const place = list.ids.indexOf(id);
    const isBelievedGone = place < 0 || list.told.some((length) => length <= place);
    if (found === null) expect(isBelievedGone, `${id} is null`).toBe(true);
    else expect(found).toEqual({ id });
  }
}

/** The connection whose address a delivery went to. */
const owner: Action = async ({ ask, others, random }) => {
  for (const list of Object.values(others)) list.told.length = 0;
  const { connections, deliveries } = others;
  const before = connections.calls;
  const answer = await ask(
    `{ list: webhookDeliveries(first: ${random.int(1, 4)}) { nodes { id ipConnection { id } } } }`,
  );
  const outcome = outcomeOf(answer);
  if (outcome !== 'right') return outcome;
  expect(connections.calls - before, 'calls of one relation').toBeLessThanOrEqual(scanPages);
  for (const { id, ipConnection } of answer.data.list.nodes) {
    const delivery = deliveries.rows.find((row) => row['id'] === id);
    const place = connections.rows.findIndex((row) =>
      JSON.stringify(delivery?.['attempts']).includes(String(row['webhook_event_url'])),
    );
    const isBelievedGone = place < 0 || connections.told.some((length) => length <= place);
    if (ipConnection === null) expect(isBelievedGone, 'an owner that is there').toBe(true);
    else expect(ipConnection.id).toBe(connections.ids[place]);
  }
  return 'right';
};

/** The deliveries that went to a connection's address. */
const attempted: Action = async ({ ask, others, random }) => {
  for (const list of Object.values(others)) list.told.length = 0;
  const { connections, deliveries } = others;
  const first = random.pick([1, 5, 20, 100]);
  const before = deliveries.calls;
  const answer = await ask(`{
    list: ipConnections(first: 1) {
      nodes { webhookEventUrl webhookDeliveries(first: ${first}) { nodes { id } totalCount pageInfo { hasNextPage } } }
    }
  }`);
  // The deliveries that name a connection are one search, and those to its addresses another.
  expect(deliveries.calls - before, 'calls of one relation').toBeLessThanOrEqual(2 * scanPages);
  const outcome = outcomeOf(answer);
  if (outcome !== 'right') return outcome;
  for (const { webhookEventUrl, webhookDeliveries } of answer.data.list.nodes) {
    expect(connections.rows.some((row) => row['webhook_event_url'] === webhookEventUrl)).toBe(true);
    const all = deliveries.rows
      .filter((row) => JSON.stringify(row['attempts']).includes(webhookEventUrl))
      .map((row) => deliveries.idOf(row));
    const shown = webhookDeliveries.nodes.map(({ id }: { readonly id: string }) => id);
    expect(shown).toEqual(all.slice(0, shown.length));
    const isBelieved = deliveries.told.some((length) => length <= shown.length);
    const isWhole = shown.length === Math.min(first, all.length);
    expect(isWhole || isBelieved || webhookDeliveries.pageInfo.hasNextPage, 'deliveries left out').toBe(true);
    if (!webhookDeliveries.pageInfo.hasNextPage) expect(isBelieved || shown.length === all.length).toBe(true);
  }
  return 'right';
};

/** What clients do of a list that stands still, by name. */
export const actions = { window, count, chain, lookUp, nodes, owner, attempted } as const;
