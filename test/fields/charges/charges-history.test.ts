import { brief, expect, testOfFile as test } from '../../support/gateway.ts';
import { failure } from '../../support/moving-upstream.ts';
import { summaryReply } from '../../support/records.ts';

const document = `query ($startDate: Date!, $endDate: Date!) {
  chargesHistory(startDate: $startDate, endDate: $endDate) { startDate endDate total { grandTotal } }
}`;

test.for([
  ['2026-10-01', '2026-10-01', 'endDate'],
  ['2026-10-02', '2026-10-01', 'endDate'],
  ['2024-10-15', '2026-10-16', 'endDate'],
  ['2024-02-29', '2026-03-01', 'endDate'],
  ['0001-01-01', '9999-12-31', 'endDate'],
  ['2026-02-30', '2026-04-01', 'startDate'],
] as const)('a history from %s to %s is refused at %s without a call', async (row, { gateway, upstream }) => {
  const [startDate, endDate, argument] = row;
  for (const field of ['chargesHistory', 'chargesHistoryByService']) {
    const { data, errors } = await gateway.query(
      `query ($from: Date!, $to: Date!) { ${field}(startDate: $from, endDate: $to) { __typename } }`,
      { variables: { from: startDate, to: endDate } },
    );
    expect(data).toEqual({ [field]: null });
    const extensions = { code: 'BAD_USER_INPUT', retryable: false, argument: [argument] };
    expect(errors).toMatchObject([{ path: [field], extensions }]);
  }
  expect(upstream.requests).toEqual([]);
});

test('a history loads its months side by side, and keeps their order', async ({ gateway, upstream }) => {
  let open = 0;
  const all = Promise.withResolvers<undefined>();
  upstream.script(async (request) => {
    // No response comes before all calls have been made: they go side by side.
    if (++open === 4) all.resolve(undefined);
    await all.promise;
    return summaryReply(request);
  });
  const variables = { startDate: '2026-01-15', endDate: '2026-04-02' };
  const data = await gateway.data(document, { variables });
  const months = [
    ['2026-01-15', '2026-02-01'],
    ['2026-02-01', '2026-03-01'],
    ['2026-03-01', '2026-04-01'],
    ['2026-04-01', '2026-04-02'],
  ];
  expect(data.chargesHistory).toEqual(
    months.map(([startDate, endDate]) => ({ startDate, endDate, total: { grandTotal: '243.30' } })),
  );
  const asked = upstream.requests.map(({ path, query }) => `${path} ${query['start_date']} ${query['end_date']}`);
  expect(asked.toSorted()).toEqual(months.map((month) => `/charges_summary ${month.join(' ')}`));
});

test('a history loses only months that fail, each with its own error', async ({ gateway, upstream }) => {
  upstream.script((request) => {
    const start = request.query['start_date'];
    if (start === '2026-02-01') return failure;
    if (start === '2026-04-01') return { status: 429, headers: { 'retry-after': '7' }, text: 'slow down' };
    return summaryReply(request);
  });
  const { data, errors } = await gateway.query(document, {
    // A caller of its own, because the limit is remembered.
    key: 'limited',
    variables: { startDate: '2026-01-01', endDate: '2026-06-01' },
  });
  const starts = ['2026-01-01', null, '2026-03-01', null, '2026-05-01'];
  expect(data.chargesHistory.map((month: { startDate: string } | null) => month?.startDate ?? null)).toEqual(starts);
  expect(brief(errors).toSorted()).toEqual(['chargesHistory.1 UPSTREAM_ERROR', 'chargesHistory.3 RATE_LIMITED']);
});
