import { expect, test } from '../../support/gateway.ts';
import { whenReady } from '../../support/process.ts';

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('EXPLORER=false serves no page to a browser, and is ready without building one', async ({ startWith }) => {
  const gateway = await startWith({ EXPLORER: 'false' });
  for (const path of ['/', '/graphql', '/voyager', '/nothing']) {
    const response = await gateway.fetch(path, { headers: browser });
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(await response.json()).toBeInstanceOf(Object);
  }
  expect((await gateway.fetch('/voyager')).status).toBe(404);
  expect((await gateway.fetch('/schema.graphql')).status).toBe(200);
  await whenReady(gateway.url);
  expect((await gateway.query('{ __schema { queryType { name } } }')).data).toEqual({
    __schema: { queryType: { name: 'Query' } },
  });
});
