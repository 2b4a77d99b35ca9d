import type { Client, Random, Step } from '../types.ts';
import { listNames, type Account, type ListName } from '../model/account.ts';
import type { Model } from '../model/model.ts';
import { misshownOf, wordsOf } from '../model/view.ts';
import { idsAlways, seenIn } from './pages.ts';
import { argumentOf, selectedOf, type Selected } from './words.ts';

/** Which row is meant: a share of the list's length, none, or one of another account. */
type Pick = { readonly share: number } | 'nobody' | { readonly foreign: number };

/** Steps that ask for single rows. */
export function makeLookUpStep(random: Random, at: number, caller: number, replica: number): Step {
  const count = random.pick([1, 1, 2, 5, 20]);
  const picks = Array.from({ length: count }, (): Pick => {
    if (random.chance(0.1)) return 'nobody';
    return random.chance(0.05) ? { foreign: (caller + 1) % 3 } : { share: random.next() };
  });
  const how = random.pick(['one', 'entities', 'nodes']);
  return {
    at,
    kind: 'look',
    caller,
    replica,
    list: random.pick(listNames),
    how,
    picks,
    waitMs: random.pick([0, 0, 5_000, 30_000]),
    selected: random.pick(['id', 'full']),
  };
}

function idsFor(model: Model, account: Account, list: ListName, picks: readonly Pick[]): readonly string[] {
  const ids = picks.map((pick, index) => {
    if (pick === 'nobody') return `nobody-${index}`;
    const owner = 'foreign' in pick ? model.accountAt(pick.foreign) : account;
    const rows = owner?.lists[list].rows ?? [];
    return rows[Math.floor(('share' in pick ? pick.share : 0.5) * rows.length)]?.id ?? `none-${index}`;
  });
  return [...new Set(ids)];
}

/** Rows by their identifiers: each that is there, and null for each that is not. */
export async function playLookUp(step: Step, model: Model, account: Account, client: Client): Promise<void> {
  const list = argumentOf<ListName>(step, 'list');
  const replica = argumentOf<number>(step, 'replica');
  const selection = selectedOf(list, argumentOf<Selected>(step, 'selected'));
  let ids = idsFor(model, account, list, argumentOf<readonly Pick[]>(step, 'picks'));
  let how = argumentOf<string>(step, 'how');
  let variables = {};
  if (how === 'nodes') {
    const found = await nodeIdsOf(model, client, account, replica, list);
    if (found === null) return;
    ids = ids.filter((id) => found.has(id));
    // What a nodeId notes of its row may be out of date by then.
    await model.world.sleep(argumentOf<number>(step, 'waitMs'));
    variables = { ids: ids.map((id) => found.get(id)) };
    if (ids.length === 0) how = 'one';
  }
  const document = documentOf(how, list, ids, selection);
  const reply = await model.ask(client, { account, replica, document, variables });
  if (reply === null || reply.data === null) return;
  const calls = reply.calls.filter(({ path, isWhole }) => path === wordsOf[list].path && isWhole).length;
  const bound = model.setting('UPSTREAM_SCAN_PAGES') + (how === 'nodes' ? ids.length : 0);
  if (calls > bound) model.breach('a search ends', `${calls} calls for ${document}`);
  const { views, forms } = seenIn(account, { list, filter: 0, order: 0 }, reply.from, reply.to);
  const always = idsAlways(views);
  const failed = new Set(reply.errors.map(({ path = [] }) => path.slice(0, 2).join()));
  for (const [index, id] of ids.entries()) {
    const path = how === 'one' ? [`a${index}`] : [how === 'nodes' ? 'nodes' : '_entities', index];
    if (failed.has(path.join()) || failed.has(String(path[0]))) continue;
    const value = path.reduce((holder, name) => holder?.[name], reply.data);
    if (value == null) {
      if (always.has(id)) model.breach('a row that is there is found', `${id} of ${account.number} by ${how}, ${list}`);
      continue;
    }
    const misshown = misshownOf(value, forms.get(id) ?? []);
    if (misshown !== null) model.breach('a row is what the API sent', `${id} ${misshown} by ${how}`);
  }
}

function documentOf(how: string, list: ListName, ids: readonly string[], selection: string): string {
  const { one, type } = wordsOf[list];
  if (how === 'nodes') return `query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on ${type} ${selection} } }`;
  if (how === 'one')
    return `{ ${ids.map((id, at) => `a${at}: ${one}(id: "${id}") ${selection}`).join(' ')} __typename }`;
  const representations = ids.map((id) => `{ __typename: "${type}", id: "${id}" }`).join(' ');
  return `{ _entities(representations: [${representations}]) { ... on ${type} ${selection} } }`;
}

async function nodeIdsOf(
  model: Model,
  client: Client,
  account: Account,
  replica: number,
  list: ListName,
): Promise<ReadonlyMap<string, string> | null> {
  const document = `{ list: ${wordsOf[list].field}(first: 500) { nodes { id nodeId } } }`;
  const reply = await model.ask(client, { account, replica, document });
  const nodes: readonly { id: string; nodeId: string }[] | undefined = reply?.data?.list?.nodes;
  return nodes === undefined ? null : new Map(nodes.map(({ id, nodeId }) => [id, nodeId]));
}
