import { expect, test } from 'vitest';
import { startSwitchboard } from '@switchboard-gateway/gateway/testing';

test('shows a new delivery, and fails as it is told', async () => {
  await using gateway = await startSwitchboard();
  const ask = async () => {
    const headers = { authorization: 'Bearer any-key' };
    return (await fetch(`${gateway.graphqlUrl}?query={webhookDeliveries(first:1){nodes{id}}}`, { headers })).json();
  };
  const { id } = gateway.sandbox.deliver({ status: 'failed' });
  expect(await ask()).toMatchObject({ data: { webhookDeliveries: { nodes: [{ id }] } } });
  gateway.sandbox.use('rate-limited=5');
  expect(await ask()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
});
