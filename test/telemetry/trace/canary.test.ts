import * as records from '../../support/records.ts';
import type { Reply, SeenRequest } from '../../support/scripted-upstream.ts';
import { expect, spansOf, test } from './traced-gateway.ts';

const key = 'KEY0123456789_abcdefghijklmnopqrstuvwxyz';
const hex = '4b455930313233343536373839616263';

/** Every text of the upstream has the word in it. */
function replyTo({ path, query }: SeenRequest): Reply {
  if (path === '/charges_breakdown')
    return { json: { data: records.chargesBreakdownRecord({ user_email: 'hush@hush.example' }) } };
  const error = { code: 'hush-code', title: 'hush title', detail: `hush ${key}`, meta: { url: 'hush' } };
  if (path === '/charges_summary') return { status: 400, json: { errors: [error] } };
  if (path === '/ai/missions') return { status: 200, text: 'hush, no JSON' };
  const outbound = { ip_authentication_token: 'hush-token' };
  const row = records.ipConnectionRecord({ connection_name: 'hush-name', outbound });
  return { json: { data: [row], meta: { total_results: 1, page_size: Number(query['page[size]'] ?? 20) } } };
}

const documents = [
  `query Names($fqdn: String) { ipConnections(filter: { fqdn: $fqdn }) { nodes { id connectionName outbound { ipAuthenticationToken } } } }`,
  `query ${key} { ipConnections(filter: { fqdn: "hush-literal" }) { totalCount } }`,
  `query X { ipConnection(id: "hush-id") { connectionName } missions { totalCount } }`,
  `query Y { chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { userEmail } }`,
  `query Z { chargesBreakdown(startDate: "2026-10-01") { userEmail } }`,
  `{ hush }`,
];

test.for(['list', 'retrieve'])('no span has a secret, by %s', async (lookUp, { collector, traced, upstream }) => {
  upstream.script(replyTo);
  const gateway = await traced({
    EXPOSE_SECRETS: 'true',
    UPSTREAM_LOOKUP: lookUp,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=hush-collector',
  });
  const headers = {
    'x-request-id': key,
    'x-client-name': `web ${key}`,
    'x-client-version': btoa(key),
    'user-agent': key.replaceAll('_', '%5F'),
    tracestate: `a=${key}`,
    traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-`,
    cookie: 'hush-cookie',
    'x-api-key': 'hush-header',
  };
  for (const document of documents)
    await gateway.query(document, { key, headers, variables: { fqdn: 'hush-variable' } });
  // Only the beginning of a trace is left for a key, where it has the form of one.
  await gateway.query(documents[0] ?? '', { key: hex, headers: { traceparent: `00-${hex}-b7ad6b7169203331-01` } });
  for (const path of [`/exports/charges-breakdown.csv?startDate=hush&endDate=${key}`, `/hush/${key}?${key}`])
    await gateway.fetch(path, { headers: { authorization: `Bearer ${key}` } });
  const spans = await spansOf(collector, documents.length + 3);
  expect(spans.length).toBeGreaterThan(20);
  const text = collector.bodies.join('');
  expect(text).not.toMatch(/hush|KEY0123|0123456789_abc|S0VZMDEy|2026-10-01/i);
  expect(text).not.toContain(hex);
  expect(gateway.log.join('')).not.toMatch(/hush|KEY0123/);
  expect(upstream.requests.some(({ headers: sent }) => String(sent['tracestate']).includes('KEY0123'))).toBe(false);
});
