import { onTestFinished, vi } from 'vitest';
import { brief, expect, test as base, type Gateway } from '../../support/gateway.ts';
import { refusal } from '../../support/scripted-upstream.ts';
import { chargesSummaryRecord, summaryReply } from '../../support/records.ts';
import { startsOf } from './summaries.ts';

const test = base.extend<{ readonly keeping: Gateway }>({
  keeping: async ({ startWith, upstream }, use) => {
    upstream.script(summaryReply);
    await use(await startWith({ HISTORY_CACHE_MS: '600000' }));
  },
});

const history = `query ($from: Date!, $to: Date!) {
  chargesHistory(startDate: $from, endDate: $to) { startDate currency }
}`;

/** The first days of 24 months that end with the present one, and the day behind the last. */
function twoYears() {
  const now = new Date();
  const day = (months: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString().slice(0, 10);
  return { from: day(-23), to: day(1), present: day(0), last: day(-1), months: [-3, -2, -1, 0].map(day) };
}

/** A clock that stands; the function that it returns has it go on by so much. */
function setClock(): (ms: number) => void {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  return (ms) => void (now += ms);
}

test('a second history of two years takes one call, for the present month', async ({ keeping, upstream }) => {
  const { from, to, present } = twoYears();
  const first = await keeping.query(history, { variables: { from, to } });
  expect(first.errors).toEqual([]);
  expect(upstream.requests.splice(0)).toHaveLength(24);
  const second = await keeping.query(history, { variables: { from, to } });
  expect(second.data).toEqual(first.data);
  expect(startsOf(upstream.requests)).toEqual([present]);
});

test('months that are over are shown only beside an accepted call', async ({ keeping, upstream }) => {
  let isRevoked = false;
  upstream.script((request) => (isRevoked ? refusal(401, '10009', 'Unauthorized', 'revoked') : summaryReply(request)));
  const { months } = twoYears();
  const over = { from: months[0], to: months[3] };
  const goOn = setClock();
  await keeping.query(history, { variables: over });
  upstream.requests.splice(0);
  // Within a minute of one.
  expect((await keeping.query(history, { variables: over })).errors).toEqual([]);
  expect(upstream.requests).toEqual([]);
  goOn(61_000);
  expect((await keeping.query(history, { variables: over })).errors).toEqual([]);
  expect(upstream.requests.splice(0)).toHaveLength(1);
  isRevoked = true;
  goOn(61_000);
  const { data, errors } = await keeping.query(history, { variables: over });
  expect(data.chargesHistory).toEqual([null, null, null]);
  expect(brief(errors)).toEqual([0, 1, 2].map((index) => `chargesHistory.${index} UNAUTHENTICATED`));
  isRevoked = false;
  upstream.requests.splice(0);
  // Nothing is left of what was kept before.
  await keeping.query(history, { variables: over });
  expect(upstream.requests).toHaveLength(3);
});

test('single months that are over are kept as well, two beside one call', async ({ keeping, upstream }) => {
  const { months } = twoYears();
  const goOn = setClock();
  const textsOf = async (): Promise<readonly string[]> => {
    const queries = [0, 1].map((index) => {
      const period = `startDate: "${months[index]}", endDate: "${months[index + 1]}"`;
      return keeping.query(`{ chargesSummary(${period}) { currency startDate } }`);
    });
    const answers = await Promise.all(queries);
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    return answers.map(({ text }) => text);
  };
  const first = await textsOf();
  expect(upstream.requests.splice(0)).toHaveLength(2);
  expect(await textsOf()).toEqual(first);
  expect(upstream.requests).toEqual([]);
  goOn(61_000);
  expect(await textsOf()).toEqual(first);
  expect(upstream.requests).toHaveLength(1);
});

test('months are kept for their caller alone, and not where that is off', async ({ keeping, startWith, upstream }) => {
  const { months } = twoYears();
  const variables = { from: months[0], to: months[3] };
  await keeping.query(history, { variables, key: 'one' });
  await keeping.query(history, { variables, key: 'other' });
  expect(upstream.requests.splice(0)).toHaveLength(6);
  const without = await startWith({ HISTORY_CACHE_MS: '0' });
  for (let time = 0; time < 2; time++) await without.query(history, { variables });
  expect(upstream.requests.splice(0)).toHaveLength(6);
});

test.for([
  refusal(500, '10007', 'Unexpected error', 'later'),
  { json: { data: {} } },
  { json: { data: chargesSummaryRecord({ end_date: '2020-01-01' }) } },
])('parts of months, and months that could not be read, are read again (%#)', async (wrong, { keeping, upstream }) => {
  upstream.script(() => wrong);
  const { months } = twoYears();
  const [from = '', , , to = ''] = months;
  expect((await keeping.query(history, { variables: { from, to } })).errors).toHaveLength(3);
  upstream.script(summaryReply);
  upstream.requests.splice(0);
  expect((await keeping.query(history, { variables: { from, to } })).errors).toEqual([]);
  expect(upstream.requests.splice(0)).toHaveLength(3);
  const part = { from: from.replace(/01$/, '02'), to };
  for (let time = 0; time < 2; time++) await keeping.query(history, { variables: part });
  expect(startsOf(upstream.requests)).toEqual([part.from, part.from]);
});
