import * as records from '../../../support/records.ts';
import type { JsonRecord } from '../../../support/records.ts';
import { selectionOf } from '../../../support/selection.ts';
import type { Client, Random, Step } from '../types.ts';
import type { Account } from '../model/account.ts';
import { nextMonthOf } from '../model/api.ts';
import { csvOf, moneyOf, unitsOf } from '../model/charges.ts';
import { codesAllowed } from '../model/judge.ts';
import type { Model, Reply } from '../model/model.ts';
import { differenceOf, shownOf } from '../model/view.ts';
import { argumentOf } from './words.ts';

const kinds = ['summary', 'summary', 'breakdown', 'csv', 'export', 'history', 'forecast'] as const;

/** Steps that ask for charges; months count back from the world's own. */
export function makeChargesStep(random: Random, at: number, caller: number, replica: number): Step {
  const kind = random.pick(kinds);
  return {
    at,
    kind,
    caller,
    replica,
    back: random.pick([0, 0, 1, 1, 2, 5]),
    months: 1 + random.below(6),
    first: random.pick([0, 1, 20, 500]),
    days: random.pick([0, 0, 10]),
    isAgain: random.chance(0.4),
    hasPrevious: random.chance(0.3),
  };
}

/** The first day of a month that lies so many months back. */
export function monthAt(now: number, back: number): string {
  const today = new Date(now);
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back, 1)).toISOString().slice(0, 10);
}

interface Period {
  readonly start: string;
  readonly end: string;
}

/** The months of a range, oldest first. */
function monthsOf(now: number, back: number, count: number): readonly Period[] {
  return Array.from({ length: count }, (_, index) => {
    const start = monthAt(now, back + count - 1 - index);
    return { start, end: nextMonthOf(start) };
  });
}

/** All that a period may be said to have cost; a month that is over may be kept for a while, a report for some seconds. */
function countsFor(
  model: Model,
  account: Account,
  { start, end }: Period,
  { from, to }: Pick<Reply, 'from' | 'to'>,
  keptMs: number,
): readonly number[] {
  const isOver = Date.parse(end) <= to;
  const kept = Math.max(keptMs, isOver ? model.settings.historyCacheMs : 0);
  return account.charges.countsBetween(from - kept, to, start.slice(0, 7));
}

const summarySelection = selectionOf(records.chargesSummaryRecord());

function judgeOneOf(model: Model, value: unknown, expected: readonly unknown[], what: string): void {
  const differences = expected.map((each) => differenceOf(value, each));
  if (!differences.includes(null)) model.breach('charges are what the API told', `${what}: ${differences[0]}`);
  else model.count('charges right');
}

/** The summary of a period, and of the one before it. */
export async function playSummary(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const [period] = monthsOf(model.world.now(), argumentOf<number>(step, 'back'), 1) as [Period];
  const before = { start: monthAt(Date.parse(period.start), 1), end: period.start };
  const previous =
    step['hasPrevious'] === true ? `previous ${summarySelection} changes { alias amount previousAmount change }` : '';
  const document = `{ chargesSummary(startDate: "${period.start}", endDate: "${period.end}") { isComplete ${summarySelection.slice(1, -1)} ${previous} } }`;
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const shown = reply?.data?.chargesSummary;
  if (reply === null || shown == null) return;
  const what = `summary of ${period.start} of ${account.number}`;
  const of = ({ start, end }: Period): readonly JsonRecord[] =>
    countsFor(model, account, { start, end }, reply, 0).map((count) => account.charges.summary(start, end, count));
  const { previous: shownBefore, changes, isComplete, ...rest } = shown;
  judgeOneOf(
    model,
    rest,
    of(period).map((each) => shownOf(each, false)),
    what,
  );
  const ends = Date.parse(period.end);
  if (isComplete !== ends <= reply.to && isComplete !== ends <= reply.from)
    model.breach('charges are what the API told', `${what}: isComplete ${isComplete}`);
  if (shownBefore != null)
    judgeOneOf(
      model,
      shownBefore,
      of(before).map((each) => shownOf(each, false)),
      `${what}, the period before`,
    );
  if (changes == null) return;
  const pairs = of(period).flatMap((now) => of(before).map((then) => [now, then] as const));
  const sets = pairs.map(([now, then]) => changesOf(now, then));
  const told = Object.fromEntries(
    (changes as readonly Change[]).map((change) => [
      change.alias,
      [change.amount, change.previousAmount, change.change].map(decimal),
    ]),
  );
  judgeOneOf(model, told, sets.map(Object.fromEntries), `${what}, the changes`);
}

interface Change {
  readonly alias: string;
  readonly amount: string;
  readonly previousAmount: string;
  readonly change: string;
}

const decimal = (text: string): string => moneyOf(unitsOf(text));

function amountsOf(summary: JsonRecord): ReadonlyMap<string, number> {
  const { lines } = summary['summary'] as { lines: readonly JsonRecord[] };
  const detail = (value: unknown): number => {
    const { mrc, otc } = value as { mrc: string; otc: string | null };
    return unitsOf(mrc) + (otc === null ? 0 : unitsOf(otc));
  };
  return new Map(
    lines.map((line) => [
      String(line['alias']),
      line['type'] === 'simple'
        ? unitsOf(String(line['amount']))
        : detail(line['new_this_month']) + detail(line['existing_this_month']),
    ]),
  );
}

function changesOf(
  now: JsonRecord,
  then: JsonRecord,
): readonly (readonly [alias: string, amounts: readonly string[]])[] {
  const [amounts, before] = [amountsOf(now), amountsOf(then)];
  const aliases = new Set([...amounts.keys(), ...before.keys()]);
  return [...aliases].map((alias) => {
    const [amount, previous] = [amounts.get(alias) ?? 0, before.get(alias) ?? 0];
    return [alias, [amount, previous, amount - previous].map(moneyOf)] as const;
  });
}

/** Several months: each as it was told, and their exact sum. */
export async function playHistory(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const whole = monthsOf(model.world.now(), argumentOf<number>(step, 'back'), argumentOf<number>(step, 'months'));
  // The last month may be a part of one.
  const days = Number(step['days'] ?? 0);
  const months = whole.map(({ start, end }, index) =>
    days > 0 && index === whole.length - 1 ? { start, end: `${start.slice(0, 8)}${days + 1}` } : { start, end },
  );
  const range = `(startDate: "${months[0]?.start}", endDate: "${months.at(-1)?.end}")`;
  const document = `{ chargesHistory${range} ${summarySelection} chargesHistoryByService${range} { grandTotal } }`;
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const shown: readonly unknown[] | null | undefined = reply?.data?.chargesHistory;
  if (reply === null || shown == null) return;
  const accepted = model.calls
    .within(account.number, reply.from - 65_000, reply.to)
    .some(({ fault }) => fault === null);
  if (!accepted && shown.some((month) => month !== null))
    model.breach('kept months are shown beside a call that the API accepts', document);
  if (shown.length !== months.length)
    return model.breach('charges are what the API told', `${shown.length} months of ${months.length}`);
  let sum = 0;
  for (const [index, month] of months.entries()) {
    const value = shown[index] as { total: { grandTotal: string } } | null;
    sum += value === null ? Number.NaN : unitsOf(value.total.grandTotal);
    if (value === null) continue;
    const expected = countsFor(model, account, month, reply, 0).map((count) =>
      shownOf(account.charges.summary(month.start, month.end, count), false),
    );
    judgeOneOf(model, value, expected, `month ${month.start} of ${account.number}`);
  }
  const total = reply.data.chargesHistoryByService?.grandTotal;
  if (total != null && !Number.isNaN(sum) && unitsOf(total) !== sum)
    model.breach('sums are exact', `${total}, not ${moneyOf(sum)} for ${document}`);
}

/** The median, the least and the greatest of the last complete months. */
export async function playForecast(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const count = argumentOf<number>(step, 'months');
  const now = model.world.now();
  const document = `{ chargesForecast(month: "${monthAt(now, -1)}", months: ${count}) { expected low high months } }`;
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const shown = reply?.data?.chargesForecast;
  if (reply === null || shown == null || monthAt(reply.to, 0) !== monthAt(reply.from, 0)) return;
  const totals = monthsOf(now, 1, count).map(({ start, end }) =>
    countsFor(model, account, { start, end }, reply, 0).map((each) => {
      const { total } = account.charges.summary(start, end, each) as { total: { grand_total: string } };
      return unitsOf(total.grand_total);
    }),
  );
  const least = totals.map((each) => Math.min(...each));
  const most = totals.map((each) => Math.max(...each));
  const isWithin =
    unitsOf(shown.low) >= Math.min(...least) &&
    unitsOf(shown.low) <= Math.min(...most) &&
    unitsOf(shown.high) <= Math.max(...most) &&
    unitsOf(shown.high) >= Math.max(...least);
  const totalsNow = totals.map((each) => each[0] ?? 0).sort((a, b) => a - b);
  const middle = [Math.floor((count - 1) / 2), Math.ceil((count - 1) / 2)].map((index) => totalsNow[index] ?? 0);
  const median = ((middle[0] ?? 0) + (middle[1] ?? 0)) / 2;
  // Of whole hundredths of a cent; the mean of two may have one place more.
  const isMedian = totals.some(({ length }) => length > 1) || Math.abs(Number(shown.expected) * 10_000 - median) < 0.75;
  if (!isMedian) model.breach('charges are what the API told', `forecast ${JSON.stringify(shown)}, median ${median}`);
  if (!isWithin || shown.months !== count)
    model.breach('charges are what the API told', `forecast ${JSON.stringify(shown)}`);
}

/** The breakdown by number, and once more when it has changed and what was kept of it is too old. */
export async function playBreakdown(step: Step, model: Model, client: Client): Promise<void> {
  await askBreakdown(step, model, client);
  if (step['isAgain'] !== true) return;
  const month = monthAt(model.world.now(), argumentOf<number>(step, 'back')).slice(0, 7);
  model.account(step)?.charges.grow(model.world.now(), month);
  await model.world.sleep(model.settings.reportCacheMs + 500);
  await askBreakdown({ ...step, replica: 1 - argumentOf<number>(step, 'replica') }, model, client);
}

/** A caller looks at reports and months, its key is revoked, and the API says so: from then on it is shown nothing. */
export async function playRevocation(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const replica = argumentOf<number>(step, 'replica');
  const ask = async (at: number): Promise<void> => {
    await askBreakdown({ ...step, first: 1, replica: at }, model, client);
    await playHistory({ ...step, replica: at }, model, client);
  };
  await ask(replica);
  await ask(1 - replica);
  account.keyState = { is: 'revoked', since: model.world.now() };
  await model.ask(client, { account, replica, document: '{ missions(first: 1) { totalCount } }' });
  await model.world.sleep(500);
  await ask(replica);
  if (!model.troubles.isStoreTroubled(model.world.now() - 30_000, model.world.now()))
    model.calls.hearRefusal(account.number, 1 - replica, account.keyState.since, model.world.now());
  await ask(1 - replica);
  account.keyState = { is: 'good', since: model.world.now() };
}

/** The breakdown by number, and its exact sums. */
async function askBreakdown(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const [{ start, end }] = monthsOf(model.world.now(), argumentOf<number>(step, 'back'), 1) as [Period];
  const first = argumentOf<number>(step, 'first');
  const document = `{ chargesBreakdown(startDate: "${start}", endDate: "${end}") {
    userId userEmail results(first: ${first}) { totalCount nodes { tn chargeType serviceOwnerEmail services { costType name cost } } } totals { cost } } }`;
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const shown = reply?.data?.chargesBreakdown;
  if (reply === null || shown == null) return;
  const expected = countsFor(model, account, { start, end }, reply, model.settings.reportCacheMs).map((count) => {
    const report = account.charges.breakdown(start, end, count);
    const results = report['results'] as readonly JsonRecord[];
    const cost = results
      .flatMap(({ services }) => services as readonly { cost: string }[])
      .reduce((sum, each) => sum + unitsOf(each.cost), 0);
    const { userId, userEmail } = shownOf(report, false) as JsonRecord;
    const nodes = results.slice(0, first).map((each) => shownOf(each, false));
    return { userId, userEmail, results: { totalCount: results.length, nodes }, totals: { cost: moneyOf(cost) } };
  });
  const { totals } = shown;
  const told = { ...shown, totals: totals == null ? null : { cost: decimal(totals.cost) } };
  judgeOneOf(
    model,
    told,
    totals == null ? expected.map((each) => ({ ...each, totals: null })) : expected,
    `breakdown of ${start} of ${account.number}`,
  );
}

/** The report as CSV within a query. */
export async function playCsv(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const [{ start, end }] = monthsOf(model.world.now(), argumentOf<number>(step, 'back'), 1) as [Period];
  const document = `{ chargesBreakdownCsv(startDate: "${start}", endDate: "${end}") { content } }`;
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const content = reply?.data?.chargesBreakdownCsv?.content;
  if (reply === null || content == null) return;
  judgeOneOf(
    model,
    content,
    csvsOf(model, account, { start, end }, reply, model.settings.reportCacheMs),
    `CSV of ${start} of ${account.number}`,
  );
}

function csvsOf(
  model: Model,
  account: Account,
  period: Period,
  span: Pick<Reply, 'from' | 'to'>,
  keptMs: number,
): readonly string[] {
  return countsFor(model, account, period, span, keptMs).map((count) =>
    csvOf(account.charges.breakdown(period.start, period.end, count)),
  );
}

/** The download: byte for byte what the API wrote, or visibly no report. */
export async function playExport(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const [period] = monthsOf(model.world.now(), argumentOf<number>(step, 'back'), 1) as [Period];
  const replica = argumentOf<number>(step, 'replica');
  const from = model.world.now();
  const path = `/exports/charges-breakdown.csv?startDate=${period.start}&endDate=${period.end}`;
  const answer = await model.sendDownload(
    client,
    replica,
    { method: 'GET', path, headers: { authorization: `Bearer ${account.key}`, 'x-request-id': model.nextId() } },
    account,
  );
  if (answer === null) return;
  const span = { from, to: model.world.now() };
  if (answer.status !== 200) {
    const { errors = [] } = model.parse(answer.body, path) ?? {};
    const allowed = codesAllowed(model, account, replica, from, span.to);
    for (const { extensions } of errors)
      if (!allowed.has(String(extensions?.code)))
        model.breach('every error has a reason', `${extensions?.code}: ${path}`);
    if (errors.length === 0) model.breach('an answer has data or errors', `${answer.status} ${path}`);
    return;
  }
  // Half of a text is a text.
  if (model.faults.countFor(account.number, from, span.to) === 0)
    judgeOneOf(
      model,
      answer.body,
      csvsOf(model, account, period, span, 0),
      `download of ${period.start} of ${account.number}`,
    );
}
