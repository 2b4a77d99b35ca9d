import { describe, expect, testOfFile as test, testOfSandbox, type Gateway } from '../../support/gateway.ts';
import { pageReply } from '../../support/scripted-upstream.ts';

const paths = ['/sandbox', '/sandbox/clock', '/sandbox/deliveries'];

test('before a real API there is nothing of the sandbox', async ({ gateway, upstream }) => {
  upstream.script((request) => pageReply([{ mission_id: 'a' }], request));
  for (const path of paths) {
    const page = await gateway.fetch(path, { headers: { accept: 'text/html' } });
    const [read, posted] = [await gateway.fetch(path), await post(gateway, path, {})];
    expect([path, page.status, read.status, posted.status]).toEqual([path, 404, 404, 404]);
  }
  const { data } = await gateway.query('{ missions { totalCount } }', { headers: { 'X-Sandbox': 'failing' } });
  expect(data.missions.totalCount).toBe(1);
  expect(upstream.requests.map(({ headers }) => headers['x-sandbox'])).toEqual([undefined]);
});

function post({ fetch }: Pick<Gateway, 'fetch'>, path: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text });
}

describe('before the embedded sandbox', () => {
  const served = testOfSandbox({ SUBSCRIPTION_POLL_MS: '20', CORS_ORIGINS: 'http://app.example.com' }, 'test');
  const presentOf = async (gateway: Gateway): Promise<unknown> => (await (await gateway.fetch('/sandbox')).json()).now;

  served(
    'GET /sandbox lists accounts, faults and the clock, for everybody and for no cache',
    async ({ gateway, sandbox }) => {
      const response = await gateway.fetch('/sandbox', {
        headers: { origin: 'http://app.example.com', accept: 'text/html' },
      });
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('access-control-allow-origin')).toBe('http://app.example.com');
      expect(await response.json()).toEqual(sandbox.describe());
      // The API itself has no such endpoint.
      expect((await fetch(sandbox.baseUrl.replace('/v2', '/sandbox'))).status).toBe(404);
    },
  );

  served('POST /sandbox/clock moves the present of sandbox and gateway, and takes it back', async ({ gateway }) => {
    const month = '{ chargesSummary(startDate: "2026-11-01", endDate: "2026-12-01") { isComplete total { other } } }';
    const read = async () => (await gateway.query(month)).data.chargesSummary;
    const early = await read();
    const moved = await post(gateway, '/sandbox/clock', { now: '2026-11-15T12:00:00+01:00' });
    expect([moved.status, moved.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await moved.json()).toEqual({ now: '2026-11-15T11:00:00.000Z' });
    const middle = await read();
    await post(gateway, '/sandbox/clock', { advanceSeconds: 16 * 86_400 });
    expect(await presentOf(gateway)).toBe('2026-12-01T11:00:00.000Z');
    const late = await read();
    expect([early, middle, late].map(({ isComplete }) => isComplete)).toEqual([false, false, true]);
    expect(Number(early.total.other)).toBeLessThan(Number(middle.total.other));
    expect(Number(middle.total.other)).toBeLessThan(Number(late.total.other));
    await post(gateway, '/sandbox/clock', { now: null });
    expect(await read()).toEqual(early);
  });

  served('POST /sandbox/deliveries makes a delivery that lists have at once', async ({ gateway }) => {
    const { data: found } = await gateway.query('{ ipConnections(first: 1) { nodes { id } } }');
    const connection: string = found.ipConnections.nodes[0].id;
    const body = { type: 'call.hangup', connection, status: 'failed', attempts: 4 };
    const response = await post(gateway, '/sandbox/deliveries', body);
    expect(response.status).toBe(201);
    const { data: made } = (await response.json()) as { data: { id: string } };
    const fields = 'id status finishedAt webhook { eventType } attempts { status } ipConnection { id }';
    const data = await gateway.data(
      `{ webhookDeliveries(first: 1) { totalCount nodes { ${fields} } } webhookDelivery(id: "${made.id}") { ${fields} } }`,
    );
    expect(data.webhookDeliveries).toEqual({ totalCount: 12_001, nodes: [data.webhookDelivery] });
    const attempts = Array.from({ length: 4 }, () => ({ status: 'failed' }));
    const told = { id: made.id, status: 'failed', webhook: { eventType: 'call.hangup' }, attempts };
    expect(data.webhookDelivery).toMatchObject({ ...told, ipConnection: { id: connection } });
    expect(data.webhookDelivery.finishedAt).toMatch(/^2026-11-01T00:00:00\.00/);
  });

  served('makes it for the account of the key alone', async ({ gateway }) => {
    const headers = { authorization: 'Bearer mine+empty' };
    expect((await post(gateway, '/sandbox/deliveries', {}, headers)).status).toBe(201);
    const count = async (key: string) =>
      (await gateway.query('{ webhookDeliveries { totalCount } }', { key })).data.webhookDeliveries.totalCount;
    expect([await count('empty'), await count('small'), await count('sandbox-key')]).toEqual([1, 36, 12_000]);
    expect((await post(gateway, '/sandbox/deliveries', {}, { ...headers, 'x-sandbox': 'small' })).status).toBe(201);
    expect([await count('empty'), await count('small')]).toEqual([1, 37]);
  });

  served('keeps the thousand latest deliveries', async ({ gateway, sandbox }) => {
    const made = Array.from({ length: 1_003 }, () => sandbox.deliver() as { id: string });
    const { data } = await gateway.query('{ webhookDeliveries(first: 1) { totalCount nodes { id } } }');
    expect(data.webhookDeliveries).toEqual({ totalCount: 13_000, nodes: [{ id: made.at(-1)?.id }] });
  });

  served.for([
    ['/sandbox/clock', { now: '2026-02-30T00:00:00Z' }, 'now'],
    ['/sandbox/clock', { now: '2026-11-02T00:00:00Z', advanceSeconds: 1 }, 'now'],
    ['/sandbox/clock', { advanceSeconds: 1e10 }, 'advanceSeconds'],
    ['/sandbox/deliveries', { type: 'call initiated' }, 'type'],
    ['/sandbox/deliveries', { connection: 'none' }, 'connection'],
    ['/sandbox/deliveries', { attempts: 1.5 }, 'attempts'],
    ['/sandbox/deliveries', { count: 3 }, 'count'],
  ] as const)('%s refuses %j, and names the member', async ([path, body, member], { gateway }) => {
    const response = await post(gateway, path, body);
    const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] };
    const cacheControl = response.headers.get('cache-control');
    expect([response.status, cacheControl]).toEqual([400, expect.stringContaining('no-store')]);
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining(member),
      extensions: { code: 'BAD_USER_INPUT', argument: [member] },
    });
    expect(await presentOf(gateway)).toBe('2026-11-01T00:00:00.000Z');
  });

  served('refuses what pages of others could send unasked, other methods and large bodies', async ({ gateway }) => {
    const text = { 'content-type': 'text/plain' };
    expect((await post(gateway, '/sandbox/clock', '{"advanceSeconds":5}', text)).status).toBe(415);
    for (const path of paths.slice(1)) {
      const large = await post(gateway, path, { now: 'x'.repeat(3_000_000) });
      expect(large.status).toBeGreaterThanOrEqual(400);
      for (const body of ['[]', '{']) expect((await post(gateway, path, body)).status).toBe(400);
      expect((await gateway.fetch(path)).status).toBe(405);
    }
    expect((await post(gateway, '/sandbox', {})).status).toBe(405);
    expect(await presentOf(gateway)).toBe('2026-11-01T00:00:00.000Z');
  });
});
