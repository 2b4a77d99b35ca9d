import fc from 'fast-check';
import { expect, testOfFile as test } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { runs } from '../support/runs.ts';

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

test('a range is refused just where its first moment is the later one', async ({ gateway, upstream }) => {
  upstream.script((request) => pageReply([{}], request));
  const point = fc.record({ ms: fc.integer({ min: 0, max: 5 }), minutes: fc.integer({ min: -1_439, max: 1_439 }) });
  const two = (value: number): string => String(value).padStart(2, '0');
  const textOf = ({ ms, minutes }: { ms: number; minutes: number }): string => {
    const local = new Date(Date.UTC(2026, 9, 2, 0, 0, 0, ms) + minutes * 60_000).toISOString().slice(0, -1);
    const size = Math.abs(minutes);
    return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  };
  await fc.assert(
    fc.asyncProperty(point, point, async (from, to) => {
      const filter = { startedAt: { gte: textOf(from), lte: textOf(to) } };
      const { errors } = await gateway.query(document, { variables: { filter } });
      expect(errors).toHaveLength(from.ms > to.ms ? 1 : 0);
    }),
    { numRuns: runs(12) },
  );
});
