import * as records from '../../../support/records.ts';
import { type JsonRecord, selectionOf } from '../../../support/records.ts';
import type { Client, Random, Step } from '../types.ts';
import type { Account } from '../model/account.ts';
import { nextMonthOf } from '../model/api.ts';
import { moneyOf, unitsOf } from '../model/charges.ts';
import type { Model, Reply } from '../model/model.ts';
import { differenceOf, shownOf } from '../model/view.ts';
import { argumentOf } from './words.ts';

/** Steps that ask for charges; months count back from the world's own. */
export function makeChargesStep(random: Random, at: number, caller: number, replica: number): Step {
  return {
    at,
    kind: random.pick(['history', 'breakdown']),
    caller,
    replica,
    back: random.pick([0, 0, 1, 1, 2, 5]),
    months: 1 + random.below(6),
    first: random.pick([0, 1, 20, 500]),
    isAgain: random.chance(0.4),
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
function countsFor(model: Model, { charges }: Account, { start, end }: Period, { from, to }: Reply, keptMs: number) {
  const isOver = Date.parse(end) <= to;
  const kept = Math.max(keptMs, isOver ? model.setting('HISTORY_CACHE_MS') : 0);
  return charges.countsBetween(from - kept, to, start.slice(0, 7));
}

const summarySelection = selectionOf(records.chargesSummaryRecord());

function judgeOneOf(model: Model, value: unknown, expected: readonly unknown[], what: string): void {
  const differences = expected.map((each) => differenceOf(value, each));
  if (!differences.includes(null)) model.breach('charges are what the API told', `${what}: ${differences[0]}`);
  else model.count('charges right');
}

/** Several months: each as it was told, and their exact sum. */
export async function askHistory(step: Step, model: Model, account: Account, client: Client): Promise<Reply | null> {
  const months = monthsOf(model.world.now(), argumentOf<number>(step, 'back'), argumentOf<number>(step, 'months'));
  const range = `(startDate: "${months[0]?.start}", endDate: "${months.at(-1)?.end}")`;
  const document = `{ chargesHistory${range} ${summarySelection} chargesHistoryByService${range} { grandTotal } }`;
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const shown: readonly unknown[] | null | undefined = reply?.data?.chargesHistory;
  if (reply === null || shown == null) return reply;
  if (shown.length !== months.length)
    model.breach('charges are what the API told', `${shown.length} months of ${months.length}`);
  let sum = 0;
  for (const [index, month] of months.entries()) {
    const value = shown[index] as { total: { grandTotal: string } } | null;
    sum += value === null ? Number.NaN : unitsOf(value.total.grandTotal);
    if (value === null) continue;
    const expected = countsFor(model, account, month, reply, 0).map((count) =>
      shownOf(account.charges.summary(month.start, month.end, count)),
    );
    judgeOneOf(model, value, expected, `month ${month.start} of ${account.number}`);
  }
  const total = reply.data.chargesHistoryByService?.grandTotal;
  if (total != null && !Number.isNaN(sum) && unitsOf(total) !== sum)
    model.breach('sums are exact', `${total}, not ${moneyOf(sum)} for ${document}`);
  return reply;
}

/** The breakdown by number, and once more when it has changed and what was kept of it is too old. */
export async function playBreakdown(step: Step, model: Model, account: Account, client: Client): Promise<void> {
  await askBreakdown(step, model, account, client);
  if (step['isAgain'] !== true) return;
  const month = monthAt(model.world.now(), argumentOf<number>(step, 'back')).slice(0, 7);
  account.charges.grow(model.world.now(), month);
  await model.world.sleep(model.setting('REPORT_CACHE_MS') + 500);
  await askBreakdown({ ...step, replica: 1 - argumentOf<number>(step, 'replica') }, model, account, client);
}

/** A caller looks at reports and months, its key is revoked, and the API says so: from then on it is shown nothing. */
export async function playRevocation(step: Step, model: Model, account: Account, client: Client): Promise<void> {
  const replica = argumentOf<number>(step, 'replica');
  const askAll = async (): Promise<readonly (Reply | null)[]> => [
    await askBreakdown({ ...step, first: 1 }, model, account, client),
    await askHistory(step, model, account, client),
  ];
  await askAll();
  account.keyState = 'revoked';
  const refused = await model.ask(client, { account, replica, document: '{ missions(first: 1) { totalCount } }' });
  await model.world.sleep(500);
  const begun = model.world.now();
  const isRefused = refused?.errors[0]?.extensions?.code === 'UNAUTHENTICATED';
  // Nothing is told where a call of before is still under way, or another step has changed the key.
  const isAlone = model.calls.since(account.number, begun) === begun;
  for (const reply of await askAll())
    if (reply !== null && isAlone && isRefused && showsAnything(reply.data)) {
      if (account.keyState === 'revoked' && reply.calls.every(({ isWhole }) => !isWhole))
        model.breach('a key that the API refuses gets nothing that is kept', JSON.stringify(reply.data).slice(0, 500));
    }
  account.keyState = 'good';
}

/** Whether an answer has anything but null. */
function showsAnything(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return data !== null;
  return Object.values(data).some(showsAnything);
}

/** The breakdown by number, and its exact sums. */
async function askBreakdown(step: Step, model: Model, account: Account, client: Client): Promise<Reply | null> {
  const [{ start, end }] = monthsOf(model.world.now(), argumentOf<number>(step, 'back'), 1) as [Period];
  const first = argumentOf<number>(step, 'first');
  const document = `{ chargesBreakdown(startDate: "${start}", endDate: "${end}") {
    userId userEmail results(first: ${first}) { totalCount nodes { tn chargeType serviceOwnerEmail services { costType name cost } } } totals { cost } } }`;
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const shown = reply?.data?.chargesBreakdown;
  if (reply === null || shown == null) return reply;
  const { totals, ...rest } = shown;
  const cost = totals == null ? null : moneyOf(unitsOf(totals.cost));
  const expected = countsFor(model, account, { start, end }, reply, model.setting('REPORT_CACHE_MS')).map((count) => {
    const report = account.charges.breakdown(start, end, count);
    const results = report['results'] as readonly JsonRecord[];
    const services = results.flatMap((each) => each['services'] as readonly { cost: string }[]);
    const { userId, userEmail } = shownOf(report) as JsonRecord;
    const nodes = results.slice(0, first).map((each) => shownOf(each));
    const sum = moneyOf(services.reduce((total, each) => total + unitsOf(each.cost), 0));
    return { userId, userEmail, results: { totalCount: results.length, nodes }, cost: cost === null ? null : sum };
  });
  judgeOneOf(model, { ...rest, cost }, expected, `breakdown of ${start} of ${account.number}`);
  return reply;
}
