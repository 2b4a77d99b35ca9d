import { ask } from '../support/http.ts';
import { expect, test } from '../support/gateway.ts';
import { startHaproxy } from './haproxy.ts';

// The gateway has no ADMIN_PORT here, so HAProxy alone closes the path.
test.for([
  '/metrics',
  '/metrics?a',
  '//x/metrics',
  '/./metrics',
  '/%2e/metrics',
  '/a/../metrics',
  '/\\x/metrics',
  '/metrics#',
])('nobody reads the figures through HAProxy by %s', async (path, { gateway }) => {
  expect((await ask(gateway.url, { method: 'GET', path: '/metrics' })).text).toContain('switchboard_');
  const address = new URL(gateway.url).host;
  await using haproxy = await startHaproxy({ replicas: [address, address, address] });
  const { status, text } = await ask(haproxy.url, { method: 'GET', path });
  expect([400, 404]).toContain(status);
  expect(text).not.toContain('switchboard_');
});
