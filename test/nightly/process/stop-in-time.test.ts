import { Agent } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { get } from '../../support/http.ts';
import { startGatewayProgram } from '../../support/process.ts';
import { startScriptedUpstream } from '../../support/scripted-upstream.ts';

const seven = '{"data":{"missions":{"totalCount":7}}}';

test('a stop under load turns readiness, half a second later refuses connections, and loses no request', async () => {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  const giving = Promise.withResolvers<undefined>();
  upstream.script(async () => {
    await giving.promise;
    return { json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } };
  });
  const { program, url } = await startGatewayProgram({
    UPSTREAM_BASE_URL: upstream.baseUrl,
    NODE_OPTIONS: `--import=${new URL('long-retirement.ts', import.meta.url).href}`,
  });
  await using stopped = program;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ready = `${url}/ready`;
  expect(await get(ready, { agent })).toMatchObject({ status: 200, connection: 'keep-alive' });
  const asked = (index: number) => get(`${url}/graphql?query={missions{totalCount}}`, { key: `key-${index}` });
  const underWay = Array.from({ length: 100 }, (_, index) => asked(index));
  await expect.poll(() => upstream.requests.length).toBe(100);
  const began = performance.now();
  stopped.kill('SIGTERM');
  await expect.poll(async () => (await get(ready)).status, { interval: 10 }).toBe(503);
  expect(await get(ready, { agent })).toMatchObject({ status: 503, connection: 'close' });
  await expect.poll(async () => (await get(ready)).text, { interval: 10 }).toBe('ECONNREFUSED');
  // Whoever spreads the load has had time to see that this one is not ready any more.
  expect(performance.now() - began).toBeGreaterThan(2_900);
  giving.resolve(undefined);
  for (const answer of await Promise.all(underWay)) expect(answer).toMatchObject({ status: 200, text: seven });
  expect(await stopped.ending).toEqual([0, null]);
  // What is waited for until the end is cut off after nine.
  expect(performance.now() - began).toBeLessThan(8_000);
});
