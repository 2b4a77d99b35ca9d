import type { Client, Random, Step } from '../types.ts';
import type { Account, Row } from '../model/account.ts';
import type { Model, Reply } from '../model/model.ts';
import { misshownOf, viewOf, wordsOf } from '../model/view.ts';
import {
  argumentOf,
  isSameView,
  selectedOf,
  selections,
  someList,
  spelledOf,
  type ListAsk,
  type Selected,
} from './words.ts';

/** A window on a list. */
export interface Window {
  readonly first?: number;
  readonly last?: number;
  readonly offset?: number;
  readonly after?: string;
  readonly before?: string;
}

interface ShownPage {
  readonly nodes: readonly { readonly id: string }[];
  readonly totalCount: number | null;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** The states of a list's view between a question and its answer, and every form that its rows had. */
interface Seen {
  readonly views: readonly (readonly Row[])[];
  readonly forms: ReadonlyMap<string, readonly Row[]>;
}

const sizes = [0, 1, 2, 3, 5, 10, 20, 24, 50, 100, 101, 125, 249, 250, 251, 500];

/** Steps that ask for pages. */
export function makePageStep(random: Random, at: number, caller: number, replica: number): Step {
  const ask = someList(random);
  const selected = random.pick(selections);
  const kind = random.pick(['page', 'walk']);
  if (kind === 'walk') {
    const size = random.pick([1, 3, 10, 20, 50, 125, 250, 500]);
    const pauseMs = random.pick([0, 0, 100, 3_000, 20_000]);
    return {
      at,
      kind,
      caller,
      replica,
      ...ask,
      selected: 'id',
      size,
      isForward: random.chance(0.7),
      turns: 2 + random.below(20),
      pauseMs,
      hops: random.chance(0.5),
    };
  }
  const size = random.pick(sizes);
  const window = random.pick<Window>([
    { first: size },
    { first: size },
    { first: size, offset: random.below(300) },
    { last: size },
    {},
  ]);
  return { at, kind, caller, replica, ...ask, selected, window };
}

const fieldsOf = (selection: string): string =>
  `nodes ${selection} totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;

function documentFor(list: ListAsk['list'], selected: Selected): string {
  const { field } = wordsOf[list];
  const filter =
    list === 'missions' ? '' : `, $filter: ${list === 'connections' ? 'IpConnectionFilter' : 'WebhookDeliveryFilter'}`;
  const order = list === 'connections' ? ', $orderBy: IpConnectionOrder' : '';
  const more = `${filter === '' ? '' : ', filter: $filter'}${order === '' ? '' : ', orderBy: $orderBy'}`;
  return `query ($first: Int, $after: String, $last: Int, $before: String, $offset: Int${filter}${order}) {
    list: ${field}(first: $first, after: $after, last: $last, before: $before, offset: $offset${more}) { ${fieldsOf(selectedOf(list, selected))} }
  }`;
}

interface PageAsk {
  readonly model: Model;
  readonly client: Client;
  readonly account: Account;
  readonly replica: number;
  readonly ask: ListAsk;
  readonly selected: Selected;
}

async function readPage(
  { model, client, account, replica, ask, selected }: PageAsk,
  window: Window,
): Promise<{ readonly reply: Reply; readonly page: ShownPage } | null> {
  const { filter, order } = spelledOf(ask);
  const variables = {
    ...window,
    ...(filter.argument !== undefined && { filter: filter.argument }),
    ...(order.argument !== undefined && { orderBy: order.argument }),
  };
  const reply = await model.ask(client, { account, replica, document: documentFor(ask.list, selected), variables });
  const page: ShownPage | undefined = reply?.data?.list;
  return reply === null || page == null ? null : { reply, page };
}

/** What a list's view was, and how each of its rows was, in a span. */
export function seenIn(account: Account, ask: ListAsk, from: number, to: number): Seen {
  const { wire } = spelledOf(ask);
  const views: (readonly Row[])[] = [];
  const forms = new Map<string, Row[]>();
  let before: readonly Row[] = [];
  for (const { rows } of account.lists[ask.list].between(from, to)) {
    const view = viewOf(rows, wire);
    const last = views.at(-1);
    if (last === undefined || !isSameView(last, view)) views.push(view);
    for (const [index, row] of view.entries()) {
      if (before[index] === row) continue;
      const known = forms.get(row.id);
      if (known === undefined) forms.set(row.id, [row]);
      else if (!known.includes(row)) known.push(row);
    }
    before = view;
  }
  return { views, forms };
}

/** A page without a cursor: what the list was at some moment, or, if it moved meanwhile, nothing doubled and nothing short in silence. */
export async function playPage(step: Step, model: Model, account: Account, client: Client): Promise<void> {
  const ask = step as unknown as ListAsk;
  const window = argumentOf<Window>(step, 'window');
  const [replica, selected] = [argumentOf<number>(step, 'replica'), argumentOf<Selected>(step, 'selected')];
  const asked = { model, client, account, replica, ask, selected };
  const answer = await readPage(asked, window);
  if (answer === null) return;
  const { reply, page } = answer;
  const seen = seenIn(account, ask, reply.from, reply.to);
  const what = `${JSON.stringify({ list: ask.list, filter: ask.filter, order: ask.order, window })} of ${account.number}`;
  judgeRows(model, page, seen, what);
  const { first, last } = window;
  judgeLength(model, page, first ?? last ?? 20, last === undefined, what);
  if (seen.views.some((view) => isSliceOf(page, window, view, asked))) return model.count('page exact');
  if (seen.views.length > 1) return model.count('page moved');
  return model.breach('a page is what the list was', `${what}: ${toldOf(page)}; ${seen.views[0]?.length} rows`);
}

function toldOf({ nodes, ...rest }: ShownPage): string {
  const ids = nodes.map(({ id }) => id);
  return `${nodes.length} rows, ${JSON.stringify(rest)}, ids ${ids.slice(0, 3).join()}…${ids.slice(-2).join()}`;
}

/** Whether a page is the window on a view, with all that it tells of itself. */
function isSliceOf(
  { nodes, pageInfo, totalCount }: ShownPage,
  { first, last, offset = 0 }: Window,
  view: readonly Row[],
  { account, ask }: PageAsk,
): boolean {
  const size = first ?? last ?? 20;
  const from = last === undefined ? Math.min(offset, view.length) : Math.max(0, view.length - last);
  const to = Math.min(from + size, view.length);
  const hasTotal = account.manners[ask.list].meta === 'whole';
  return (
    nodes.length === to - from &&
    nodes.every(({ id }, index) => id === view[from + index]?.id) &&
    (totalCount === view.length || (totalCount === null && !hasTotal)) &&
    // Where the length is not known, a full page is taken to have a next one, and a page of no rows to have none.
    (pageInfo.hasNextPage === to < view.length || (!hasTotal && pageInfo.hasNextPage === from < to)) &&
    // Of an empty list whose length is not known, an offset may be anywhere.
    (pageInfo.hasPreviousPage === (from > 0 && view.length > 0) || (!hasTotal && offset > 0))
  );
}

/** Each row is the account's, once, in a form that it had. */
function judgeRows(model: Model, { nodes }: ShownPage, { forms }: Seen, what: string): void {
  const ids = nodes.map((node) => node?.id);
  judgeDoubles(model, ids, what);
  for (const node of nodes) {
    const misshown = misshownOf(node, forms.get(node?.id) ?? []);
    if (misshown !== null) model.breach('a row is what the API sent', `${node?.id} ${misshown} in ${what}`);
  }
}

/** A page that has fewer rows than were asked for is the last one. */
function judgeLength(model: Model, page: ShownPage, size: number, isForward: boolean, what: string): void {
  const { hasNextPage, hasPreviousPage } = page.pageInfo;
  if (page.nodes.length < size && (isForward ? hasNextPage : hasPreviousPage))
    model.breach('a list is never short in silence', `${toldOf(page)}: ${what}`);
}

/** The identifiers that all views have. */
export function idsAlways(views: readonly (readonly Row[])[]): Set<string> {
  const [first = new Set<string>(), ...others] = views.map((view) => new Set(view.map(({ id }) => id)));
  return new Set([...first].filter((id) => others.every((view) => view.has(id))));
}

/** Page after page: each row that was there all along exactly once. */
export async function playWalk(step: Step, model: Model, account: Account, client: Client): Promise<void> {
  const ask = step as unknown as ListAsk;
  const size = argumentOf<number>(step, 'size');
  const isForward = argumentOf<boolean>(step, 'isForward');
  let replica = argumentOf<number>(step, 'replica');
  const what = `walk ${JSON.stringify({ list: ask.list, filter: ask.filter, order: ask.order, size, isForward })} of ${account.number}`;
  const shown: string[] = [];
  let always: ReadonlySet<string> | null = null;
  let cursor: string | null = null;
  let since = Infinity;
  let failures = 0;
  for (let turn = 0; turn < argumentOf<number>(step, 'turns'); turn++) {
    const place = cursor === null ? {} : isForward ? { after: cursor } : { before: cursor };
    const window: Window = { ...(isForward ? { first: size } : { last: size }), ...place };
    const answer = await readPage({ model, client, account, replica, ask, selected: 'id' }, window);
    if (answer === null) {
      if (++failures > 3) return model.count('walk given up');
      await model.world.sleep(2_000);
      continue;
    }
    const { reply, page } = answer;
    const seen = seenIn(account, ask, Math.min(since, reply.from), reply.to);
    since = reply.to;
    judgeRows(model, page, seen, `${what}, turn ${turn}`);
    judgeLength(model, page, size, isForward, `${what}, turn ${turn}`);
    shown.push(...page.nodes.map(({ id }) => id));
    const now: ReadonlySet<string> = idsAlways(seen.views);
    always = now.intersection(always ?? now);
    const { startCursor, endCursor, hasNextPage, hasPreviousPage } = page.pageInfo;
    cursor = isForward ? endCursor : startCursor;
    if (cursor === null || !(isForward ? hasNextPage : hasPreviousPage)) return endWalk(model, shown, always, what);
    await model.world.sleep(argumentOf<number>(step, 'pauseMs'));
    if (step['hops'] === true) replica = 1 - replica;
  }
  judgeDoubles(model, shown, what);
  model.count('walk cut short');
}

function judgeDoubles(model: Model, shown: readonly string[], what: string): void {
  const twice = shown.find((id, index) => shown.indexOf(id) !== index);
  if (twice !== undefined) model.breach('no row is shown twice', `${twice}: ${what}`);
}

function endWalk(model: Model, shown: readonly string[], always: ReadonlySet<string>, what: string): void {
  judgeDoubles(model, shown, what);
  const missing = [...always.difference(new Set(shown))];
  if (missing.length > 0)
    model.breach('no row that stood still is left out', `${missing.length} of ${always.size}, ${missing[0]}: ${what}`);
  model.count('walk whole');
}
