import { expect, testOfFile as test } from '../../support/gateway.ts';
import { whenReady } from '../../support/process.ts';

test('/health and /ready respond 200', async ({ gateway, upstream }) => {
  expect(await (await gateway.fetch('/health')).json()).toEqual({ status: 'ok' });
  await whenReady(gateway.url);
  expect(await (await gateway.fetch('/ready')).json()).toEqual({ status: 'ready' });
  expect(upstream.requests).toEqual([]);
});

test.for(['/graphql/', '/graphq', '/GRAPHQL', '/constructor', '/__proto__', '/%', '//', '/metrics/x'])(
  'does not know %s',
  async (path, { gateway }) => {
    const response = await gateway.fetch(path);
    expect(response.status).toBe(404);
    const extensions = { code: 'NOT_FOUND', retryable: false, requestId: response.headers.get('x-request-id') };
    expect(await response.json()).toMatchObject({ errors: [{ extensions }] });
  },
);

test('EXPLORER=false serves no page to a browser, and is ready without building one', async ({ startWith }) => {
  const gateway = await startWith({ EXPLORER: 'false' });
  for (const path of ['/', '/graphql', '/voyager', '/nothing']) {
    const response = await gateway.fetch(path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
    const answer = (await response.json()) as { readonly endpoints?: readonly string[] };
    if (path === '/') expect(answer.endpoints).not.toContain('/docs/guide/start.md');
  }
  expect((await gateway.fetch('/voyager')).status).toBe(404);
  expect((await gateway.fetch('/schema.graphql')).status).toBe(200);
  await whenReady(gateway.url);
});
