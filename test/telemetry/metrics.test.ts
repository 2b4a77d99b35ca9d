import { expect, test } from '../support/gateway.ts';
import { scrape } from '../support/metrics.ts';
import { refusal } from '../support/scripted-upstream.ts';

const sample = /^[a-z_:][a-z0-9_:]*(?:\{[a-z_]+="[^"\n]*"(?:,[a-z_]+="[^"\n]*")*\})? (?:-?\d[\d.e+-]*|NaN|[+-]Inf)$/i;

test('the metrics are Prometheus text', async ({ gateway }) => {
  const lines = (await scrape(gateway)).split('\n').filter((line) => line !== '' && !line.startsWith('# '));
  expect(lines.filter((line) => !sample.test(line))).toEqual([]);
});

test('the metrics count requests, upstream calls and errors', async ({ gateway, upstream }) => {
  upstream.script(() => ({ status: 429, json: { errors: [] } }));
  await gateway.query('{ missions { totalCount } }');
  await expect.poll(() => scrape(gateway)).toContain('_duration_seconds_count{endpoint="/graphql",status="200"} 1');
  const text = await scrape(gateway);
  expect(text).toContain(
    'switchboard_upstream_call_duration_seconds_count{operation="GET /ai/missions",outcome="429"} 1',
  );
  expect(text).toContain('switchboard_errors_total{code="RATE_LIMITED"} 1');
});

test('the metrics have no label that a client chooses', async ({ gateway, upstream }) => {
  upstream.script(() => refusal(500, 'chosen-1', 'chosen-2'));
  const chosen = 'chosen_by_client';
  await gateway.fetch(`/${chosen}`);
  await gateway.fetch(`/health?${chosen}`, { headers: { [chosen]: chosen, 'x-request-id': chosen } });
  await gateway.fetch(`/graphql?query={${chosen}}`);
  await gateway.fetch('/health', { method: 'PROPFIND' });
  await gateway.query(`query ${chosen} { missions { totalCount } }`, { key: chosen });
  await gateway.query(`query ${chosen} { ipConnections(after: "${chosen}") { totalCount } }`, { key: chosen });
  await expect.poll(() => gateway.log.filter((line) => line.includes('"msg":"request"')).length).toBe(6);
  const text = await scrape(gateway);
  expect(text).not.toMatch(/chosen|PROPFIND/);
  const endpoints = [...text.matchAll(/endpoint="([^"]*)"/g)].map(([, endpoint]) => endpoint);
  expect(new Set(endpoints)).toEqual(new Set(['/graphql', '/health', 'other']));
});
