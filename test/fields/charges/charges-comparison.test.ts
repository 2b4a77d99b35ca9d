import { describe, brief, expect, testOfFile as test } from '../../support/gateway.ts';
import { chargesSummaryRecord, simpleLine, type JsonRecord, summaryReply } from '../../support/records.ts';
import { startsOf, summariesBy, withLines } from './summaries.ts';

const period = 'startDate: "2026-10-01", endDate: "2026-11-01"';
const [before, now] = ['2026-09-01', '2026-10-01'] as const;
const service = (alias: string, amount: string): JsonRecord => simpleLine({ alias, name: alias.toUpperCase(), amount });

describe('the period before', () => {
  const document = `query ($startDate: Date!, $endDate: Date!) {
    chargesSummary(startDate: $startDate, endDate: $endDate) { startDate previous { startDate endDate } }
  }`;

  test.for([
    ['2026-01-01', '2026-02-01', '2025-12-01'],
    ['2026-10-15', '2026-11-15', '2026-09-15'],
    ['2026-10-10', '2026-10-20', '2026-09-30'],
    ['2026-10-10', '2026-10-11', '2026-10-09'],
    // There is no 31 November, so it is as many days.
    ['2025-12-31', '2026-01-31', '2025-11-30'],
    ['0000-01-01', '0000-01-31', null],
  ] as const)('%s to %s begins on %s', async ([startDate, endDate, start], { gateway, upstream }) => {
    upstream.script(summaryReply);
    const data = await gateway.data(document, { variables: { startDate, endDate } });
    const previous = start === null ? null : { startDate: start, endDate: startDate };
    expect(data.chargesSummary).toEqual({ startDate, previous });
    expect(startsOf(upstream.requests)).toEqual(start === null ? [startDate] : [startDate, start]);
  });

  test('costs a call for the first month of a history only', async ({ gateway, upstream }) => {
    upstream.script(summaryReply);
    await gateway.data('{ chargesHistory(startDate: "2026-07-01", endDate: "2026-11-01") { previous { currency } } }');
    expect(startsOf(upstream.requests).toSorted().at(0)).toBe('2026-06-01');
    expect(upstream.requests).toHaveLength(5);
  });

  const impossible = [{ end_date: '2026-13-01' }, { end_date: '2026-10-32' }];
  test.for(impossible)('of a summary that claims %j is none', async (claimed, { gateway, upstream }) => {
    upstream.script(() => ({ json: { data: chargesSummaryRecord(claimed) } }));
    const { data, errors } = await gateway.query(document, { variables: { startDate: now, endDate: '2026-11-01' } });
    expect(data.chargesSummary).toEqual({ startDate: now, previous: null });
    expect(brief(errors)).toEqual(['chargesSummary.previous UPSTREAM_BAD_RESPONSE']);
    expect(upstream.requests).toHaveLength(1);
  });

  test('is named where it fails, and costs itself and the changes alone', async ({ gateway, upstream }) => {
    upstream.script(summariesBy({ [now]: {} }));
    const selection = `{ chargesSummary(${period}) { currency changes { alias } previous { currency } } }`;
    const { data, errors } = await gateway.query(selection);
    expect(data.chargesSummary).toEqual({ currency: 'USD', changes: null, previous: null });
    expect(brief(errors).toSorted()).toEqual(
      ['changes', 'previous'].map((field) => `chargesSummary.${field} UPSTREAM_ERROR`),
    );
    for (const { message } of errors) expect(message).toMatch(/^The period before, 2026-09-01 to 2026-10-01: \S/);
    expect(startsOf(upstream.requests)).toEqual([now, before]);
  });
});

describe('changes', () => {
  const document = `{ chargesSummary(${period}) { changes { alias name amount previousAmount change } } }`;

  test('name services that came, went and stayed, the largest first, up or down', async ({ gateway, upstream }) => {
    upstream.script(
      summariesBy({
        [before]: withLines(service('gone', '3.50'), service('up', '1'), service('same', '7.00')),
        [now]: withLines(service('up', '2.5'), service('new', '20.005'), service('same', '7')),
      }),
    );
    const data = await gateway.data(document);
    expect(data.chargesSummary.changes).toEqual([
      { alias: 'new', name: 'NEW', amount: '20.005', previousAmount: '0', change: '20.005' },
      { alias: 'gone', name: 'GONE', amount: '0', previousAmount: '3.50', change: '-3.50' },
      { alias: 'up', name: 'UP', amount: '2.5', previousAmount: '1', change: '1.5' },
      { alias: 'same', name: 'SAME', amount: '7', previousAmount: '7.00', change: '0.00' },
    ]);
    expect(startsOf(upstream.requests)).toEqual([now, before]);
  });

  test('of an unreadable amount are null and last, and the amount fails alone', async ({ gateway, upstream }) => {
    const lines = withLines(service('bad', 'much'), service('good', '2'));
    upstream.script(summariesBy({ [before]: withLines(service('bad', '1')), [now]: lines }));
    const { data, errors } = await gateway.query(document);
    expect(data.chargesSummary.changes).toMatchObject([
      { alias: 'good', change: '2' },
      { alias: 'bad', amount: null, previousAmount: '1', change: null },
    ]);
    expect(brief(errors)).toEqual(['chargesSummary.changes.1.amount UPSTREAM_BAD_RESPONSE']);
  });
});

describe('amounts of several currencies', () => {
  const byGraphqlJs = '__schema { __typename }';

  test.for([
    ['', { [now]: { currency: 'EUR' } }],
    [byGraphqlJs, { [before]: { currency: 'usd' } }],
  ] as const)('are neither compared nor added: %s %j', async ([also, currencies], { gateway, upstream }) => {
    upstream.script(summariesBy(currencies, {}));
    const { data, errors } = await gateway.query(`{ ${also}
      chargesSummary(${period}) { changes { alias change } }
      chargesHistoryByService(startDate: "${before}", endDate: "2026-11-01") {
        currency grandTotal services(orderBy: TOTAL) { alias total amounts }
      }
    }`);
    expect(data.chargesSummary).toEqual({ changes: null });
    const message =
      'The charges from 2026-09-01 to 2026-11-01 are in several currencies, so that they cannot be compared.';
    const extensions = { code: 'UNPROCESSABLE_ENTITY' };
    expect(errors).toMatchObject([{ path: ['chargesSummary', 'changes'], message, extensions }]);
    const { currency, grandTotal, services } = data.chargesHistoryByService;
    expect([currency, grandTotal]).toEqual([null, null]);
    expect(services.map(({ total }: { total: unknown }) => total)).toEqual([null, null]);
    expect(services[0].amounts).not.toContain(null);
  });
});

test("the API's present decides which months are complete and kept", async ({ upstream, startWith }) => {
  upstream.script(summaryReply);
  const gateway = await startWith(
    { HISTORY_CACHE_MS: '600000' },
    { now: () => Date.parse('2031-03-31T23:59:59.999Z') },
  );
  const { data } = await gateway.query('{ chargesForecast(month: "2031-09-01", months: 2) { months } }');
  expect(data.chargesForecast.months).toBe(2);
  expect(startsOf(upstream.requests.splice(0))).toEqual(['2031-01-01', '2031-02-01']);
  const history = '{ chargesHistory(startDate: "2031-02-01", endDate: "2031-04-01") { isComplete } }';
  await gateway.query(history);
  const again = await gateway.query(history);
  expect(again.data.chargesHistory).toEqual([{ isComplete: true }, { isComplete: false }]);
  // The month before has been kept since the forecast.
  expect(startsOf(upstream.requests)).toEqual(['2031-03-01', '2031-03-01']);
});
