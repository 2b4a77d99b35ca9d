import { describe } from 'vitest';
import { lookUpAll } from '../../lists/look-up/kind.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { clampedTo, cutTo, serve, silentlyClampedTo, type Manner } from './manner.ts';

const manners: readonly [string, number, Manner][] = [
  ['clamped to 20 in silence', 20, silentlyClampedTo(20)],
  ['clamped to 20', 20, clampedTo(20)],
  ['clamped to 1', 1, clampedTo(1)],
  ['cut to 100', 100, cutTo(100)],
];

describe('a search for a row', () => {
  const field = 'webhookDelivery';
  const path = '/webhook_deliveries';

  test.for(manners)(
    'makes no more calls than set where pages are %s',
    async ([, size, manner], { startWith, upstream }) => {
      const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '12' });
      const list = new MovingUpstream(path, 13 * size);
      let [open, most] = [0, 0];
      const answer = serve(list, manner);
      upstream.script(async (request) => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
        return answer(request);
      });
      const { errors, text } = await gateway.query(lookUpAll(field, ['nobody']), { headers: { 'x-cost': '1' } });
      expect(errors).toMatchObject([{ path: ['a0'], extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false } }]);
      expect(upstream.requests.length).toBeLessThanOrEqual(12);
      expect(most).toBeLessThanOrEqual(12);
      const { cost } = JSON.parse(text).extensions;
      expect(cost.upstreamCalls).toBe(upstream.requests.length);
      expect(cost.upstreamCalls).toBeLessThanOrEqual(cost.estimated);
    },
  );
});

test('a cursor whose row those calls do not find is an error that says so', async ({ startWith, upstream }) => {
  const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
  // In no order of time, which would show the way.
  const list = new MovingUpstream('/ip_connections', 5_000, () => ({ created_at: null }));
  upstream.script(list.answer);
  const page = (args: string): string => `{ ipConnections(${args}) { nodes { id } pageInfo { endCursor } } }`;
  const { data } = await gateway.query(page('first: 5, offset: 2500'));
  list.insert(0, 2_000);
  list.delete(5_000, 2_000);
  upstream.requests.length = 0;
  const { errors } = await gateway.query(page(`first: 5, after: "${data.ipConnections.pageInfo.endCursor}"`));
  expect(errors).toMatchObject([
    {
      message: expect.stringContaining('Begin again without the cursor'),
      extensions: { code: 'QUERY_TOO_COMPLEX', limit: 2, actual: 3 },
    },
  ]);
  // The page at the old place, and the search.
  expect(upstream.requests).toHaveLength(3);
});
