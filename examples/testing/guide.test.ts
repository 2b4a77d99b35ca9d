import { expect, test } from 'vitest';
import { startSwitchboard } from '@switchboard-gateway/gateway/testing';

test('fails as it is told, shows a new delivery, and can be empty', async () => {
  await using gateway = await startSwitchboard();
  const ask = async (query: string) => {
    const headers = { authorization: 'Bearer any-key' };
    return (await fetch(`${gateway.graphqlUrl}?query=${encodeURIComponent(query)}`, { headers })).json();
  };
  gateway.sandbox.use('rate-limited=5', 'only=missions');
  expect(await ask('{ missions { totalCount } }')).toMatchObject({
    errors: [{ extensions: { code: 'RATE_LIMITED' } }],
  });
  gateway.sandbox.use();
  const { id } = gateway.sandbox.deliver({ status: 'failed' });
  expect(await ask('{ webhookDeliveries(first: 1) { nodes { id } } }')).toMatchObject({
    data: { webhookDeliveries: { nodes: [{ id }] } },
  });
  gateway.sandbox.use('empty');
  expect(await ask('{ missions { totalCount } }')).toMatchObject({ data: { missions: { totalCount: 0 } } });
});
