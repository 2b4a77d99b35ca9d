import { describe } from 'vitest';
import { expect, test } from '../../support/gateway.ts';
import { chargesSummaryRecord, ipConnectionRecord } from '../../support/records.ts';
import { runs, seed } from '../../support/runs.ts';
import { mixTenants } from '../tenant-model.ts';

describe('twenty tenants with equal queries at the same time', () => {
  test('get their own rows, failures and rate limits alone, over 20,000 calls', async () => {
    const { calls, sent, outcomes, limits, ...foreign } = await mixTenants(runs(20_000), Number(seed));
    expect(calls).toBe(runs(20_000));
    expect(foreign).toEqual({ foreignRows: 0, foreignRefusals: 0, foreignLimits: 0 });
    expect(limits).toBeGreaterThan(2_000);
    // Everything has happened: calls were shared, made again, limited, broken, refused by the queue, and left.
    expect(sent).toBeLessThan(calls);
    for (const outcome of ['row', 'left', 'RATE_LIMITED', 'UPSTREAM_UNAVAILABLE', 'UPSTREAM_ERROR'])
      expect(outcomes[outcome]).toBeGreaterThan(20);
  });
});

test('eight keys at once over HTTP get no rows of each other', async ({ startWith, upstream }) => {
  const gateway = await startWith({ UPSTREAM_RETRIES: '2', UPSTREAM_MAX_CONCURRENCY: '4' });
  upstream.script(({ path, headers, query }) => {
    const owner = headers.authorization ?? '';
    // One has a sick account, and one has used up its budget.
    if (owner === 'Bearer key-0') return { status: 500 };
    if (owner === 'Bearer key-1') return { status: 429, headers: { 'retry-after': '60' } };
    if (path === '/charges_summary') return { json: { data: chargesSummaryRecord({ user_id: owner }) } };
    const row = ipConnectionRecord({ id: owner, connection_name: query['filter[fqdn]'] });
    return { json: { data: [row], meta: { total_results: 1, page_size: 20 } } };
  });
  const document = `query ($name: String) {
    chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { userId }
    ipConnections(filter: { fqdn: $name }) { nodes { id connectionName } }
  }`;
  const asked = Array.from({ length: 200 }, (_, n) => ({ key: `key-${n % 8}`, name: `name-${Math.floor(n / 8) % 3}` }));
  const answers = await Promise.all(
    asked.map(async ({ key, name }) => ({
      key,
      name,
      ...(await gateway.query(document, { key, variables: { name } })),
    })),
  );
  for (const { key, name, data, errors } of answers) {
    if (key === 'key-0' || key === 'key-1') {
      expect(data).toEqual({ chargesSummary: null, ipConnections: null });
      const codes = key === 'key-1' ? ['RATE_LIMITED'] : ['UPSTREAM_ERROR', 'UPSTREAM_UNAVAILABLE'];
      for (const { extensions } of errors) expect(codes).toContain(extensions.code);
    } else {
      expect(errors).toEqual([]);
      expect(data).toEqual({
        chargesSummary: { userId: `Bearer ${key}` },
        ipConnections: { nodes: [{ id: `Bearer ${key}`, connectionName: name }] },
      });
    }
  }
  expect(upstream.requests.length).toBeLessThan(400);
});
