import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { startProgram } from '../support/process.ts';
import { sandboxClient } from './client.ts';

const { get, as, origin } = sandboxClient();
const mainFile = 'src/sandbox/main.ts';
const october = { start_date: '2026-10-01', end_date: '2026-11-01' };
const lists = ['/ip_connections', '/ai/missions', '/webhook_deliveries'];
const clampingLists = ['/ip_connections', '/webhook_deliveries'];
const reports = ['/charges_summary', '/charges_breakdown'];

test.each([
  null,
  '',
  'Bearer',
  'Bearer  ',
  'Basic c2FuZGJveA==',
  'sandbox-key',
  'Bearer two words',
  'Bearer invalid-key',
])('the credentials %j get 401 and no challenge', async (authorization) => {
  for (const path of [...lists, ...reports]) {
    const { status, headers, body } = await as(authorization, path, october);
    expect(status).toBe(401);
    expect(headers.has('www-authenticate')).toBe(false);
    expect(body.errors).toEqual([
      expect.objectContaining({ code: '10009', meta: { url: 'https://docs.example.com/errors/10009' } }),
    ]);
  }
});

test('any other well-formed key is accepted', async () => {
  for (const key of ['sandbox-key', 'KEY01_a.b~c+d/e==', 'x']) {
    expect((await as(`Bearer ${key}`, '/ai/missions')).status).toBe(200);
  }
});

test('a key without permission gets 403 and a pointer', async () => {
  for (const path of [...lists, ...reports]) {
    const { status, body } = await as('Bearer forbidden-key', path, october);
    expect(status).toBe(403);
    expect(body.errors[0]).toMatchObject({ code: '10010', source: { pointer: expect.any(String) } });
  }
});

test('a key without an account gets 422 on the billing reports only', async () => {
  for (const path of reports) {
    const { status, body } = await as('Bearer unknown-account-key', path, october);
    expect(status).toBe(422);
    expect(body.errors[0].code).toBe('10027');
  }
  for (const path of lists) expect((await as('Bearer unknown-account-key', path)).status).toBe(200);
});

test('a key can have one report or both take two seconds, and nothing else', async () => {
  const slow = { 'slow-report-key': reports, 'slow-breakdown-key': ['/charges_breakdown'] };
  const order = async (key: string): Promise<readonly string[]> => {
    const answered: string[] = [];
    const started = performance.now();
    await Promise.all(
      [...reports, ...lists].map(async (path) => {
        expect((await as(`Bearer ${key}`, path, reports.includes(path) ? october : {})).status).toBe(200);
        answered.push(path);
      }),
    );
    expect(performance.now() - started).toBeGreaterThan(1_990);
    return answered;
  };
  await Promise.all(
    Object.entries(slow).map(async ([key, paths]) =>
      expect((await order(key)).slice(-paths.length).toSorted()).toEqual(paths.toSorted()),
    ),
  );
});

test('an unknown id or path gets a 404 envelope', async () => {
  const id = '00000000-0000-4000-a000-000000000000';
  for (const path of [...lists.map((list) => `${list}/${id}`), '/nothing', '/ip_connections/', '/ip_connections/%']) {
    const { status, body } = await get(path);
    expect(status).toBe(404);
    expect(body.errors[0]).toMatchObject({ code: '10005', title: 'Resource not found' });
  }
  expect((await fetch(`${origin()}/`)).status).toBe(404);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s gets a 405 envelope', async (method) => {
  const headers = { authorization: 'Bearer sandbox-key' };
  const body = method === 'POST' ? '{}' : null;
  const reply = await get('/ip_connections', {}, { method, headers, body });
  expect(reply.status).toBe(405);
  expect(reply.headers.get('allow')).toBe('GET');
  expect(reply.body.errors[0]).toMatchObject({ code: '10008', meta: { url: expect.any(String) } });
});

test.each(clampingLists)('%s clamps a page size above 250 silently', async (path) => {
  const { status, body } = await get(path, { 'page[size]': '1000', 'page[number]': '2' });
  expect(status).toBe(200);
  expect(body.data).toHaveLength(250);
  expect(body.meta).toMatchObject({ page_size: 250, page_number: 2 });
});

test.each(clampingLists)('%s has no rows past the end', async (path) => {
  const { status, body } = await get(path, { 'page[number]': '100000' });
  expect(status).toBe(200);
  expect(body.data).toEqual([]);
  expect(body.meta).toMatchObject({ page_number: 100_000, page_size: 20 });
});

test.each(clampingLists)('%s refuses a malformed page parameter naming it', async (path) => {
  for (const name of ['page[number]', 'page[size]']) {
    for (const given of ['0', '-1', '1.5', 'many', '']) {
      const { status, body } = await get(path, { [name]: given });
      expect(status).toBe(400);
      expect(body.errors[0]).toMatchObject({ code: '10015', source: { parameter: name } });
    }
  }
});

test('brackets may be literal or percent-encoded', async () => {
  const headers = { authorization: 'Bearer sandbox-key' };
  const literal = await fetch(`${origin()}/v2/ip_connections?page[size]=3&page[number]=2`, { headers });
  const encoded = await get('/ip_connections', { 'page[size]': '3', 'page[number]': '2' });
  expect(await literal.text()).toBe(encoded.text);
  expect(encoded.body.meta).toMatchObject({ page_size: 3, page_number: 2 });
});

test('unknown query parameters are ignored', async () => {
  for (const path of lists) {
    const odd = await get(path, { colour: 'red', 'filter[colour]': 'red' });
    expect(odd.text).toBe((await get(path)).text);
  }
});

test('two processes respond alike, whatever was requested before, and SIGINT stops one', async () => {
  await using program = startProgram(mainFile, { PORT: '0', SANDBOX_NOW: '2026-11-01T00:00:00Z' });
  const [, there = ''] = await program.printed(/^Sandbox upstream at (http:\/\/127\.0\.0\.1:\d+\/v2)\n$/);
  const headers = { authorization: 'Bearer sandbox-key' };
  const paths = [
    '/webhook_deliveries?page[number]=400&page[size]=100',
    '/ip_connections?sort=connection_name&page[size]=250',
    '/webhook_deliveries?filter[attempts][contains]=events.example.com&page[size]=50',
    '/ai/missions?page[size]=1000',
    '/charges_summary?start_date=2026-09-10&end_date=2026-10-05',
    '/charges_breakdown?start_date=2026-09-10&format=csv',
  ];
  for (const path of paths)
    expect((await get(path)).text).toBe(await (await fetch(`${there}${path}`, { headers })).text());
  expect((await fetch(there.replace('/v2', '/graphql'))).status).toBe(404);
  program.kill('SIGINT');
  expect(await program.ending).toEqual([0, null]);
  expect(program.err).toBe('');
});

test('a process that cannot start ends with one line that says why', async () => {
  const taken = new URL(origin()).port;
  const refused: readonly (readonly [env: Readonly<Record<string, string>>, line: RegExp])[] = [
    [{ PORT: '65536' }, /^PORT [^\n]+\n$/],
    [{ PORT: '0', SANDBOX_NOW: '2026-02-30T00:00:00Z' }, /^SANDBOX_NOW must be a moment [^\n]+\n$/],
    [{ PORT: taken }, /^[^\n]*PORT[^\n]*EADDRINUSE[^\n]*\n$/],
  ];
  await Promise.all(
    refused.map(async ([env, line]) => {
      await using program = startProgram(mainFile, env);
      expect(await program.ending).toEqual([1, null]);
      expect([program.out, program.err]).toEqual(['', expect.stringMatching(line)]);
    }),
  );
});

test('close ends open connections and frees the port', async () => {
  const first = await startSandbox({ port: 0, host: '127.0.0.1' });
  const reply = await fetch(`${first.baseUrl}/ai/missions`);
  await reply.text();
  await first.close();
  const port = Number(new URL(first.baseUrl).port);
  const second = await startSandbox({ port, host: '127.0.0.1' });
  expect(second.baseUrl).toBe(first.baseUrl);
  await second.close();
});
