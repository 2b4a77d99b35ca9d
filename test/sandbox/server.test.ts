import { expect, test } from 'vitest';
import { startProgram } from '../support/process.ts';
import { sandboxClient } from './client.ts';

const { get, refusalOf, origin } = sandboxClient();
const mainFile = 'src/sandbox/main.ts';
const lists = ['/ip_connections', '/ai/missions', '/webhook_deliveries'];
const reports = ['/charges_summary', '/charges_breakdown'].map(
  (path) => `${path}?start_date=2026-10-01&end_date=2026-11-01&`,
);

const refused = [null, '', 'Bearer', 'Basic c2FuZGJveA==', 'sandbox-key', 'Bearer two words', 'Bearer invalid-key'];
test.for(refused)('the credentials %j get 401 and no challenge', async (authorization) => {
  for (const path of [...lists, ...reports]) {
    const response = await fetch(`${origin()}/v2${path}`, {
      headers: authorization === null ? {} : { authorization },
    });
    expect([response.status, response.headers.has('www-authenticate')]).toEqual([401, false]);
    const meta = { url: 'https://docs.example.com/errors/10009' };
    expect(await response.json()).toEqual({ errors: [expect.objectContaining({ code: '10009', meta })] });
  }
});

test('a key without permission is refused everywhere, one without an account at the reports, others nowhere', async () => {
  for (const path of [...lists, ...reports]) {
    expect(await refusalOf(path, {}, 'forbidden-key')).toEqual([403, '10010', { pointer: expect.any(String) }]);
    const [status, code] = await refusalOf(path, {}, 'unknown-account-key');
    expect([status, code]).toEqual(reports.includes(path) ? [422, '10027'] : [200, undefined]);
    for (const key of ['KEY01_a.b~c+d/e==', 'x']) expect((await get(path, {}, key)).status).toBe(200);
  }
});

test('an unknown path gets 404, and a method that is not GET 405, as errors of the API', async () => {
  for (const path of ['/nothing', '/ip_connections/', '/ip_connections/%']) {
    const { status, body } = await get(path);
    expect([status, body.errors[0]]).toMatchObject([404, { code: '10005', title: 'Resource not found' }]);
  }
  expect((await fetch(origin())).status).toBe(404);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const response = await fetch(`${origin()}/v2/ip_connections`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    expect(await response.json()).toMatchObject({ errors: [{ code: '10008', meta: { url: expect.any(String) } }] });
  }
});

test('two processes respond alike, whatever was requested before, and SIGINT stops one', async () => {
  await using program = startProgram(mainFile, { PORT: '0', HOST: '', SANDBOX_NOW: '2026-10-31 24:00Z' });
  const [, there = ''] = await program.printed(/^Sandbox upstream at (http:\/\/127\.0\.0\.1:\d+\/v2)\n$/);
  const headers = { authorization: 'Bearer sandbox-key' };
  for (const path of [
    // New ones come while the process lives.
    '/webhook_deliveries?filter[started_at][lte]=2026-10-31T23:00:00Z&page[size]=50',
    '/ip_connections?sort=connection_name&page[size]=250',
    '/ai/missions?page[size]=1000',
    '/charges_summary?start_date=2026-09-10&end_date=2026-10-05',
    '/charges_breakdown?start_date=2026-09-10&format=csv',
  ])
    expect((await get(`${path}&`)).text).toBe(await (await fetch(`${there}${path}`, { headers })).text());
  expect((await fetch(there.replace('/v2', '/graphql'))).status).toBe(404);
  program.kill('SIGINT');
  expect(await program.ending).toEqual([0, null]);
  expect(program.err).toBe('');
});
