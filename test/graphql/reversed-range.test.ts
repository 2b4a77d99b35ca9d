import { expect, testOfFile as test } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const document = `query ($filter: WebhookDeliveryFilter) {
  missions { totalCount }
  webhookDeliveries(filter: $filter) { totalCount }
}`;
const day = '2026-10-02';
const names = ['startedAt', 'finishedAt'] as const;

test.for([
  [`${day}T00:00:00.000000002Z`, `${day}T00:00:00.000000001Z`],
  // The earlier one looks later.
  [`${day}T01:00:00+00:00`, `${day}T02:00:00+02:00`],
  ['2026-12-31T23:59:60Z', '2026-12-31T23:59:59.999Z'],
  // In every zone that there may be.
  ['2026-10-03T00:00:01', `${day}T00:00:00Z`],
  ['2026-10-03T00:00:00.000000001Z', `${day}T00:00:00`],
])('a range from %s to %s is reversed: refused before its call, alone', async ([gte, lte], { gateway, upstream }) => {
  upstream.script((request) => pageReply([{}], request));
  for (const name of names) {
    upstream.requests.length = 0;
    const { data, errors } = await gateway.query(document, { variables: { filter: { [name]: { gte, lte } } } });
    expect(data).toEqual({ missions: { totalCount: 1 }, webhookDeliveries: null });
    const message = `filter.${name} must be a range that does not end before it begins.`;
    const extensions = { code: 'BAD_USER_INPUT', retryable: false, argument: ['filter', name] };
    expect(errors).toMatchObject([{ message, path: ['webhookDeliveries'], extensions }]);
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/ai/missions']);
  }
});

test.for([
  [`${day}T00:00:00Z`, `${day}T00:00:00Z`],
  // Half a second in two spellings, and a zone.
  [`${day}T00:00:00.5Z`, `${day}T00:00:00,500000000Z`],
  // The API alone knows which zone it takes for a moment that has none.
  [`${day}T12:00:00`, `${day}T00:00:00Z`],
  [null, `${day}T00:00:00Z`],
])('a range that is not reversed is taken: from %s to %s', async ([gte, lte], { gateway, upstream }) => {
  upstream.script((request) => pageReply([{}], request));
  const { data, errors } = await gateway.query(document, { variables: { filter: { startedAt: { gte, lte } } } });
  expect([data.webhookDeliveries, errors]).toEqual([{ totalCount: 1 }, []]);
});
