import type { Client, Random, Step } from '../types.ts';
import type { Account, Row } from '../model/account.ts';
import type { Model, Reply } from '../model/model.ts';
import { differenceOf, shownOf, viewOf, wordsOf } from '../model/view.ts';
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
  readonly offset: number | null;
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
  readonly records: ReadonlyMap<string, readonly Row[]>;
  /** Whether a list without counts has moved: nobody can tell which pages fit then. */
  readonly isBlind: boolean;
}

const sizes = [0, 1, 2, 3, 5, 10, 20, 24, 50, 100, 101, 125, 249, 250, 251, 500];

/** Steps that ask for pages. */
export function makePageStep(random: Random, at: number, caller: number, replica: number): Step {
  const ask = someList(random);
  const selected = random.pick(selections);
  const kind = random.pick(['page', 'page', 'walk', 'walk', 'count']);
  if (kind === 'count') return { at, kind, caller, replica, ...ask };
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
  `nodes ${selection} totalCount offset pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;

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
): Promise<{ reply: Reply; page: ShownPage | null } | null> {
  const { filter, order } = spelledOf(ask);
  const variables = {
    ...window,
    ...(filter.argument !== undefined && { filter: filter.argument }),
    ...(order.argument !== undefined && { orderBy: order.argument }),
  };
  const reply = await model.ask(client, { account, replica, document: documentFor(ask.list, selected), variables });
  if (reply === null) return null;
  return { reply, page: reply.data?.list ?? null };
}

function seenIn(account: Account, ask: ListAsk, from: number, to: number): Seen {
  const { wire } = spelledOf(ask);
  const views: (readonly Row[])[] = [];
  const records = new Map<string, Row[]>();
  let before: readonly Row[] | null = null;
  for (const { rows } of account.lists[ask.list].between(from, to)) {
    const view = viewOf(rows, wire);
    const last = views.at(-1);
    if (last === undefined || !isSameView(last, view)) views.push(view);
    for (const [index, row] of view.entries()) {
      if (before?.[index] === row) continue;
      const forms = records.get(row.id);
      if (forms === undefined) records.set(row.id, [row]);
      else if (!forms.includes(row)) forms.push(row);
    }
    before = view;
  }
  return { views, records, isBlind: account.manners[ask.list].meta !== 'whole' && views.length > 1 };
}

/** A page without a cursor: exactly what the list was at some moment, or, where it moved meanwhile, nothing doubled, nothing left out. */
export async function playPage(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const ask = step as unknown as ListAsk;
  const window = argumentOf<Window>(step, 'window');
  const asked = {
    model,
    client,
    account,
    replica: argumentOf<number>(step, 'replica'),
    ask,
    selected: argumentOf<Selected>(step, 'selected'),
  };
  const answer = await readPage(asked, window);
  if (answer === null || answer.page === null) return;
  const { reply, page } = answer;
  const seen = seenIn(account, ask, reply.from, reply.to);
  const what = `${JSON.stringify({ ...ask, window })} of ${account.number}`;
  judgeRows(model, page, seen, what);
  if (isRenamed(ask, seen)) return;
  const isExact = seen.views.some((view) => isSliceOf(page, window, view, asked));
  if (isExact) return model.count('page exact');
  if (seen.views.length === 1)
    return model.breach('a page is what the list was', `${what}: ${toldOf(page)}; ${seen.views[0]?.length} rows`);
  judgeMovedPage(model, page, window, seen, what);
  model.count('page moved');
}

const toldOf = ({ nodes, ...rest }: ShownPage): string =>
  `${nodes.length} rows, ${JSON.stringify(rest)}, ids ${nodes
    .slice(0, 3)
    .map(({ id }) => id)
    .join()}…${nodes
    .slice(-2)
    .map(({ id }) => id)
    .join()}`;

/** Whether a page is the window on a view, with all that it tells of itself. */
function isSliceOf(
  page: ShownPage,
  { first, last, offset = 0 }: Window,
  view: readonly Row[],
  { account, ask }: PageAsk,
): boolean {
  const size = first ?? last ?? 20;
  const from = last === undefined ? Math.min(offset, view.length) : Math.max(0, view.length - last);
  const to = Math.min(from + size, view.length);
  const { nodes, pageInfo, totalCount } = page;
  const hasTotal = account.manners[ask.list].meta === 'whole';
  return (
    nodes.length === to - from &&
    nodes.every(({ id }, index) => id === view[from + index]?.id) &&
    (totalCount === view.length || (totalCount === null && !hasTotal)) &&
    // Where the length is not known, a full page is taken to have a next one.
    (pageInfo.hasNextPage === to < view.length || (!hasTotal && pageInfo.hasNextPage && to === view.length)) &&
    // Of an empty list whose length is not known, an offset may be anywhere.
    (pageInfo.hasPreviousPage === (from > 0 && view.length > 0) || (!hasTotal && offset > 0))
  );
}

/** Whether a row has changed the value that its list is sorted or filtered by. */
function isRenamed({ list, filter, order }: ListAsk, { records }: Seen): boolean {
  const isByName = list === 'connections' && (order === 2 || filter === 1 || filter === 2);
  return (
    isByName &&
    [...records.values()].some((forms) => new Set(forms.map(({ record }) => record['connection_name'])).size > 1)
  );
}

/** Each row is the account's, once, in a form that it had. */
function judgeRows(model: Model, { nodes }: ShownPage, { records }: Seen, what: string): void {
  const ids = new Set<string>();
  for (const node of nodes) {
    if (node === null) {
      model.breach('a row is what the API sent', `null in ${what}`);
      continue;
    }
    if (ids.has(node.id)) model.breach('no row is shown twice', `${node.id} in ${what}`);
    ids.add(node.id);
    const forms = records.get(node.id);
    if (forms === undefined) {
      model.breach('a row is one that the list had', `${node.id} in ${what}`);
      continue;
    }
    const differences = forms.map(({ record }) => differenceOf(node, shownOf(record, model.settings.exposesSecrets)));
    if (!differences.includes(null))
      model.breach('a row is what the API sent', `${node.id}${differences[0]} in ${what}`);
  }
}

/** A page of a list that moved while it was read: in the list's order, and without a gap. */
function judgeMovedPage(
  model: Model,
  { nodes, pageInfo }: ShownPage,
  { first, last }: Window,
  { views, isBlind }: Seen,
  what: string,
): void {
  if (isBlind) return;
  const size = first ?? last ?? 20;
  if (nodes.length < size && (last === undefined ? pageInfo.hasNextPage : pageInfo.hasPreviousPage))
    model.breach('a list is never short in silence', `${nodes.length} rows of ${size}: ${what}`);
  judgeGaps(
    model,
    nodes.map(({ id }) => id),
    views,
    what,
  );
}

/** Between two rows that were shown one after another, none stood all the time. */
function judgeGaps(model: Model, shown: readonly string[], views: readonly (readonly Row[])[], what: string): void {
  const always = idsAlways(views);
  const places = views.map((view) => new Map(view.map(({ id }, index) => [id, index])));
  if (isRewritten(views)) return;
  for (const [index, id] of shown.entries()) {
    const next = shown[index + 1];
    const of = places.findIndex((place) => place.has(id) && next !== undefined && place.has(next));
    if (of < 0 || next === undefined) continue;
    const [from, to] = [places[of]?.get(id) ?? 0, places[of]?.get(next) ?? 0];
    if (to < from) return model.breach('rows come in the order of the list', `${id} before ${next} in ${what}`);
    const skipped = views[of]?.slice(from + 1, to).find((row) => always.has(row.id));
    if (skipped !== undefined)
      return model.breach('no row that stood still is left out', `${skipped.id} between ${id} and ${next} in ${what}`);
  }
}

/** Whether a row came below others while another one went: then nobody can tell by counts that pages read side by side do not fit. */
function isRewritten(views: readonly (readonly Row[])[]): boolean {
  let [hasLate, hasGone] = [false, false];
  for (const [index, view] of views.entries()) {
    const before = views[index - 1];
    if (before === undefined) continue;
    const old = new Set(before.map(({ id }) => id));
    const now = new Set(view.map(({ id }) => id));
    let isBelow = false;
    for (const { id } of view) {
      if (old.has(id)) isBelow = true;
      else if (isBelow) hasLate = true;
    }
    if (before.some(({ id }) => !now.has(id))) hasGone = true;
  }
  return hasLate && hasGone;
}

function idsAlways(views: readonly (readonly Row[])[]): Set<string> {
  const [first = new Set<string>(), ...others] = views.map((view) => new Set(view.map(({ id }) => id)));
  return new Set([...first].filter((id) => others.every((view) => view.has(id))));
}

/** The length alone. */
export async function playCount(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const ask = step as unknown as ListAsk;
  const { filter } = spelledOf(ask);
  const argument = filter.argument === undefined ? '' : `(filter: $filter)`;
  const type = ask.list === 'connections' ? 'IpConnectionFilter' : 'WebhookDeliveryFilter';
  const head = argument === '' ? 'query' : `query ($filter: ${type})`;
  const document = `${head} { list: ${wordsOf[ask.list].field}${argument} { totalCount } }`;
  const variables = argument === '' ? {} : { filter: filter.argument };
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document, variables });
  const list = reply?.data?.list;
  if (reply === null || list == null) return;
  const lengths = seenIn(account, { ...ask, order: 0 }, reply.from, reply.to).views.map(({ length }) => length);
  const isRight =
    lengths.includes(list.totalCount) || (list.totalCount === null && account.manners[ask.list].meta !== 'whole');
  // Of a list without counts in `meta`, `total_pages` of pages of one row is the length.
  if (!isRight)
    model.breach(
      'a count is what the list was',
      `${list.totalCount}, not ${lengths.join()}: ${JSON.stringify(ask)} of ${account.number}`,
    );
}

/** Page after page: each row that was there all along exactly once, in the order of the list. */
export async function playWalk(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const ask = step as unknown as ListAsk;
  const [size, turns, pauseMs] = [
    argumentOf<number>(step, 'size'),
    argumentOf<number>(step, 'turns'),
    argumentOf<number>(step, 'pauseMs'),
  ];
  const isForward = argumentOf<boolean>(step, 'isForward');
  let replica = argumentOf<number>(step, 'replica');
  const what = `walk ${JSON.stringify({ ...ask, size, isForward, hops: step['hops'] })} of ${account.number}`;
  const shown: string[] = [];
  let always: Set<string> | null = null;
  let cursor: string | null = null;
  let since = 0;
  let failures = 0;
  for (let turn = 0; turn < turns; turn++) {
    const place = cursor === null ? {} : isForward ? { after: cursor } : { before: cursor };
    const window: Window = { ...(isForward ? { first: size } : { last: size }), ...place };
    const answer = await readPage({ model, client, account, replica, ask, selected: 'id' }, window);
    if (answer === null || answer.page === null) {
      if (++failures > 3) return model.count('walk given up');
      await model.world.sleep(2_000);
      continue;
    }
    const { reply, page } = answer;
    const seen = seenIn(account, ask, since === 0 ? reply.from : Math.min(since, reply.from), reply.to);
    since = reply.to;
    if (seen.isBlind) return model.count('walk of rows that nobody counts');
    if (isRenamed(ask, seen)) return model.count('walk of renamed rows');
    judgeRows(model, page, seen, `${what}, turn ${turn}`);
    const isShort = page.nodes.length < size && (isForward ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage);
    if (isShort) model.breach('a list is never short in silence', `${toldOf(page)}: ${what}, turn ${turn}`);
    const pageIds = page.nodes.map(({ id }) => id);
    judgeGaps(model, pageIds, seen.views, `${what}, turn ${turn}`);
    if (isForward) shown.push(...pageIds);
    else shown.unshift(...pageIds);
    const now = idsAlways(seen.views);
    const before: ReadonlySet<string> = always ?? now;
    always = new Set([...before].filter((id) => now.has(id)));
    cursor = isForward ? page.pageInfo.endCursor : page.pageInfo.startCursor;
    if (cursor === null || !(isForward ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage))
      return endWalk(model, shown, always, what);
    if (pauseMs > 0) await model.world.sleep(pauseMs);
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
  const seen = new Set(shown);
  const missing = [...always].filter((id) => !seen.has(id));
  if (missing.length > 0)
    model.breach(
      'no row that stood still is left out',
      `${missing.length} of ${always.size}, ${missing.slice(0, 3).join()}: ${what}`,
    );
  model.count('walk whole');
}
