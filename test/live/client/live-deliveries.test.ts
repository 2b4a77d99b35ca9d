import { onTestFinished } from 'vitest';
import { expect } from '../../support/gateway.ts';
import { test } from '../subscription.ts';
import { showDeliveries } from './live-deliveries.ts';

test('the live list of the client guide has each delivery once, the newest first', async ({ deliveries, gateway }) => {
  let shown: readonly string[] = [];
  const read = async () => {
    // The list has these, and so has the feed.
    deliveries.add([10, 11]);
    const { data } = await gateway.query('{ webhookDeliveries { nodes { id status } } }', { key: 'a-key' });
    return data.webhookDeliveries.nodes;
  };
  const leave = showDeliveries(`${gateway.url}/graphql`, 'a-key', read, (rows) => {
    shown = rows.map(({ id }) => id);
  });
  onTestFinished(leave);
  await expect.poll(() => shown).toHaveLength(5);
  deliveries.add([12, 13]);
  await expect.poll(() => shown).toEqual(deliveries.rows.map((row) => row['id']));
});
