import type { Sandbox } from '../../src/sandbox/server.ts';
import { pageOf } from '../documents/page.ts';
import { describe, expect, startGateway, testOfSandbox, type Gateway } from '../support/gateway.ts';
import { startFixedSandbox } from '../support/sandbox.ts';
import { ask, type Json } from './client.ts';

const test = testOfSandbox({ UPSTREAM_TIMEOUT_MS: '2000' });
const period = 'startDate: "2026-10-01", endDate: "2026-11-01"';
const summary = `{ chargesSummary(${period}) { currency } }`;
const counts = '{ webhookDeliveries { totalCount } missions { totalCount } ipConnections { totalCount } }';
const list = '{ ipConnections(first: 2) { nodes { id } } }';
/** The one query that no fault can replace. */
const tooDeep = `{ ${'__schema { types { fields { type { '.repeat(6)} name ${'} } } }'.repeat(6)} }`;

/** The codes of fields, each with what stands below its heading: whether it is retryable, and the part of a key that causes it. */
const codes = [
  ...pageOf('docs/reference/errors.md').prose.matchAll(
    /^### ([A-Z_]+)\n\n`retryable: (\w+).*?` · (?:sandbox key `(.+)`)?/gm,
  ),
].map(([, code = '', retryable, part]) => [code, retryable, part] as const);

describe('an error code of the reference', () => {
  test.for(codes)('%s comes with its key, and a text for a page', async ([code, retryable, part], { gateway }) => {
    const query = part === undefined ? tooDeep : summary;
    const { data, errors } = await gateway.query(query, { key: `codes+${part}` });
    const [error] = errors;
    expect(error.extensions).toMatchObject({ code, retryable: retryable === 'true', requestId: expect.any(String) });
    expect(error.message).toMatch(/\w/);
    expect(JSON.stringify(error)).not.toMatch(/ at .+\.ts|127\.0\.0\.1|gateway-failing/);
    if (part !== undefined) expect([data, error.path]).toEqual([{ chargesSummary: null }, ['chargesSummary']]);
    if (code === 'RATE_LIMITED') expect(error.extensions.retryAfterSeconds).toBeGreaterThan(20);
  });

  test('that the sandbox can cause is caused by each fault that says so', async ({ gateway, sandbox }) => {
    for (const { name, code } of sandbox.describe().faults.filter((fault) => fault.code !== null)) {
      // All calls of this one fail, and of the next none is left.
      const part = { flaky: 'flaky=1', 'unauthorized-after': 'unauthorized-after=0' }[name] ?? name;
      const { errors } = await gateway.query(summary, { key: `each+${part}` });
      expect([name, errors.map(({ extensions }) => extensions.code)]).toEqual([name, [code]]);
    }
  });
});

test.for([
  ['failing=html', 'UPSTREAM_ERROR'],
  ['failing=empty', 'UPSTREAM_ERROR'],
  ['malformed=shape', 'UPSTREAM_BAD_RESPONSE'],
] as const)('%s fails a list and a report with %s', async ([part, code], { gateway }) => {
  const { errors } = await gateway.query(`{ chargesSummary(${period}) { currency } missions { totalCount } }`, {
    key: `x+${part}`,
  });
  expect(errors.map(({ extensions }) => extensions.code)).toEqual([code, code]);
});

test('malformed=value costs one field of one row', async ({ gateway }) => {
  const query = '{ missions(first: 3) { nodes { name } } webhookDeliveries(first: 2) { nodes { status } } }';
  const { data, errors } = await gateway.query(query, { key: 'malformed=value' });
  expect(data.missions.nodes.map(({ name }: { name: string | null }) => name === null)).toEqual([true, false, false]);
  expect(data.webhookDeliveries.nodes[0]).toEqual({ status: null });
  expect(errors.map(({ path, extensions }) => [path.join('.'), extensions.code])).toEqual([
    ['missions.nodes.0.name', 'UPSTREAM_BAD_RESPONSE'],
    ['webhookDeliveries.nodes.0.status', 'UPSTREAM_BAD_RESPONSE'],
  ]);
});

test('unauthorized-after takes so many calls of its key', async ({ gateway }) => {
  const answers: unknown[] = [];
  for (let call = 0; call < 4; call++)
    answers.push((await gateway.query(list, { key: 'once+unauthorized-after=2' })).errors[0]?.extensions.code);
  expect(answers).toEqual([undefined, undefined, 'UNAUTHENTICATED', 'UNAUTHENTICATED']);
  expect((await gateway.query(list, { key: 'other+unauthorized-after=2' })).errors).toEqual([]);
});

test('flaky fails the same share of calls in each run, and another one by another seed', async () => {
  const run = async (seed?: string): Promise<string> => {
    const fresh = await startFixedSandbox(undefined, seed);
    let seen = '';
    for (let call = 0; call < 40; call++)
      seen += (await ask(fresh.baseUrl, '/ai/missions', {}, 'flaky=0.3')).status === 200 ? '.' : 'x';
    await fresh.close();
    return seen;
  };
  const first = await run();
  expect(await run()).toBe(first);
  const failures = first.replaceAll('.', '').length;
  expect([failures > 5, failures < 20]).toEqual([true, true]);
  expect(await run('other')).not.toBe(first);
});

test.for([
  ['slow=much', /slow takes =milliseconds/],
  ['invalid=1', /invalid takes no argument/],
  ['only=calls', /only takes one of charges_breakdown, /],
] as const)('a key with %s is refused', async ([part, message], { gateway }) => {
  const { errors } = await gateway.query(list, { key: `x+${part}` });
  expect(errors[0]).toMatchObject({ message: expect.stringMatching(message), extensions: { code: 'BAD_USER_INPUT' } });
});

describe('X-Sandbox', () => {
  const send = (gateway: Gateway, header: string, query = list) =>
    gateway.query(query, { key: 'sandbox-key', headers: { 'X-Sandbox': header } });

  test('means what the parts of a key mean', async ({ gateway }) => {
    const { data } = await send(gateway, 'failing, only=missions', counts);
    expect(data).toEqual({
      webhookDeliveries: { totalCount: 12_000 },
      missions: null,
      ipConnections: { totalCount: 604 },
    });
    const { data: none } = await send(gateway, 'empty', counts);
    expect(Object.values<Json>(none).map(({ totalCount }) => totalCount)).toEqual([0, 0, 0]);
  });

  test('is refused where a part of it is none', async ({ gateway }) => {
    const { errors } = await send(gateway, 'rate limited');
    expect(errors[0].message).toMatch(/^"rate" is no part of it: large, small, .*rate-limited.*only= are\.$/);
  });

  test('divides what equal requests of one key share, and what is kept', async ({ sandbox }) => {
    const settings = { REPORT_CACHE_MS: '60000', HISTORY_CACHE_MS: '60000' };
    const keeping = await startGateway(sandbox.baseUrl, settings, { sandbox });
    const query = `{ missions { totalCount } chargesBreakdown(${period}) { results(first: 1) { totalCount } } chargesSummary(${period}) { total { existingMrc } } }`;
    const read = async (header: string) =>
      (await keeping.query(query, { key: 'k', headers: { 'X-Sandbox': header } })).data;
    const [large, small] = await Promise.all([read('slow=1'), read('slow=1+small')]);
    const sizeOf = (data: Json) => [data.missions.totalCount, data.chargesBreakdown.results.totalCount];
    expect([sizeOf(large), sizeOf(small)].flat()).toEqual([230, 1800, 12, 40]);
    expect(small.chargesSummary).not.toEqual(large.chargesSummary);
    expect([await read('slow=1'), await read('slow=1+small')]).toEqual([large, small]);
    await keeping.close();
  });
});

describe('a key changes', () => {
  const lists = ['/ip_connections', '/ai/missions', '/webhook_deliveries'];
  const dates = { start_date: '2026-10-01', end_date: '2026-11-01' };
  const page = async ({ baseUrl }: Sandbox, key: string, path: string, size: number, query = {}): Promise<Json> =>
    (await ask(baseUrl, path, { 'page[number]': 2, 'page[size]': size, ...query }, key)).body;

  test.for(lists)('pages of %s: fewer rows, or no totals', async (path, { sandbox }) => {
    for (const [key, most] of [
      ['clamped-key', 20],
      ['clamped=100', 100],
    ] as const) {
      expect(await page(sandbox, key, path, 150)).toEqual(await page(sandbox, 'k', path, most));
      expect(await page(sandbox, key, path, 7)).toEqual(await page(sandbox, 'k', path, 7));
    }
    const { data } = await page(sandbox, 'k', path, 20);
    const meta = { page_number: 2, page_size: 20 };
    expect(await page(sandbox, 'clamped-key+no-totals-key', path, 90)).toEqual({ data, meta });
  });

  test('filters, which it ignores, and deliveries, which come in the published shapes', async ({ sandbox }) => {
    const filter = { 'filter[status][eq]': 'nothing', 'filter[started_at][gte]': 'yesterday' };
    const plain = await page(sandbox, 'k', '/webhook_deliveries', 50);
    expect(await page(sandbox, 'ignored-filters-key', '/webhook_deliveries', 50, filter)).toEqual(plain);
    const published = await page(sandbox, 'published-shapes-key', '/webhook_deliveries', 50);
    const text = expect.any(String);
    const shapedHttp = (http: Json): Json =>
      JSON.parse(JSON.stringify(http), (name, value) =>
        name === 'headers' && value !== null ? value.map((pair: readonly string[]) => pair.join(': ')) : value,
      );
    const shaped = ({ errors, http, ...attempt }: Json): Json => ({
      ...attempt,
      errors: errors?.map((code: number) => ({ code: `${code}`, title: text, detail: text })),
      http: http && shapedHttp(http),
    });
    const expected = plain.data.map((row: Json) => ({ ...row, attempts: row.attempts?.map(shaped) ?? null }));
    expect(published.data).toEqual(expected);
    const one = await ask(sandbox.baseUrl, `/webhook_deliveries/${published.data[0].id}`, {}, 'published-shapes-key');
    expect(one.body.data).toEqual(published.data[0]);
  });

  test('the wait for one report or both, and for nothing else', async ({ sandbox }) => {
    const order = async (key: string): Promise<readonly string[]> => {
      const answered: string[] = [];
      const asked = ['/charges_summary', '/charges_breakdown', ...lists].map(async (path) => {
        const { status } = await ask(sandbox.baseUrl, path, path.startsWith('/charges') ? dates : {}, key);
        answered.push(status === 200 ? path : `${status}`);
      });
      await Promise.all(asked);
      return answered;
    };
    const [both, one] = await Promise.all([order('slow-report-key'), order('slow-breakdown-key')]);
    expect(both.slice(3).toSorted()).toEqual(['/charges_breakdown', '/charges_summary']);
    expect(one.slice(4)).toEqual(['/charges_breakdown']);
  });
});
