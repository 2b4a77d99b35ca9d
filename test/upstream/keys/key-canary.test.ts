import { downloadReport, expect, startGateway, test, type Gateway } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import { allRootFields, selectionOf } from '../../support/records.ts';
import { cutOff, hang, hangUp, type Script } from '../../support/scripted-upstream.ts';
import { scrape } from '../../support/metrics.ts';
import { canariesIn, spellingsOf } from '../../support/canary.ts';

const key = 'KEY-canary-0123456789';
const secret = 'secret-canary';
// What a client may do with its own key by mistake.
const ownMistakes = [
  key,
  `{ ${key} }`,
  `query ${'x'.repeat(90)}${key} { missions { totalCount } }`,
  `{ missions(after: "${key}") { totalCount } mission(id: "${key}") { id } }`,
];

const sensitive = ['Authorization', 'proxy-authorization', 'COOKIE', 'Set-Cookie', 'X-Api-Key'].map((name) => [
  name,
  `${secret} ${key}`,
]);
const http = {
  request: { url: 'https://a.example/', headers: sensitive },
  response: { status: 500, headers: sensitive, body: '' },
};
const delivery = records.webhookDeliveryRecord({ attempts: [records.attemptRecord({ http })] });
const connection = records.ipConnectionRecord({ outbound: { ip_authentication_token: secret } });

const everything = `{
  ipConnections { nodes ${selectionOf(connection)} }
  webhookDeliveries { nodes ${selectionOf(delivery)} }
  missions { nodes ${selectionOf(records.missionRecord())} }
  chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") ${selectionOf(records.chargesSummaryRecord())}
  chargesBreakdown(startDate: "2026-10-01") ${selectionOf(records.chargesBreakdownRecord())}
  chargesBreakdownCsv(startDate: "2026-10-01") { content }
}`;

const freeForm = new Set(['payload', 'metadata']);

/** A record in which every value is a secret of a type that its field cannot show. */
function poisoned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? { [secret]: secret } : secret;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, freeForm.has(name) ? secret : poisoned(inner)]),
  );
}

const lists: Readonly<Record<string, unknown>> = {
  '/ip_connections': [connection],
  '/webhook_deliveries': [delivery],
  '/ai/missions': [records.missionRecord()],
  '/charges_summary': records.chargesSummaryRecord(),
  '/charges_breakdown': records.chargesBreakdownRecord(),
};
const page = `<html>${secret} at http://10.1.2.3:8443/v2</html>`;
const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };

const scripts: Readonly<Record<string, Script>> = {
  'everything is well': ({ path }) => ({ json: { data: lists[path], meta: { total_results: 1 } } }),
  'every value is of a wrong type': ({ path }) => ({
    json: { data: poisoned(lists[path]), meta: { total_results: secret, page_size: secret } },
  }),
  'rows are no records': () => ({ json: { data: [secret, [secret], 7], meta: {} } }),
  'the answer has no shape': () => ({ json: { [secret]: secret } }),
  'the answer is a page': () => ({ text: page, headers: { ...html, 'set-cookie': secret, server: secret } }),
  'the answer is half a document': () => ({ text: `{"data":{"x":"${secret}`, headers: json }),
  'the answer is an error page': () => ({ status: 502, text: page, headers: html }),
  'the answer is a redirect': () => ({ status: 307, headers: { location: `https://${secret}.invalid/?${key}` } }),
  'the key is refused and echoed': () => {
    const meta = { url: `https://docs.example/?k=${key}`, other: secret };
    const error = { code: '10009', title: `No ${key}`, detail: `Bearer ${key} is unknown`, meta, [secret]: secret };
    return { status: 401, json: { errors: [error] } };
  },
  'the error is of no form': () => ({
    status: 500,
    json: { message: secret, stack: `Error: ${secret}\n    at x`, errors: { [secret]: key } },
  }),
  'the answer breaks off': () => cutOff(`{"data":"${secret}`, { headers: { ...json, 'content-length': '1000' } }),
  'the connection is reset': () => hangUp,
  'no answer comes': () => hang,
};

/** All that a client can provoke and read; a report that was cut off has no text. */
async function provoke(gateway: Gateway): Promise<string> {
  const texts: string[] = [];
  const read = async (path: string, init: { method?: string; body?: string } = {}, id = 'an-id'): Promise<void> => {
    const response = await gateway.fetch(path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': id },
    });
    texts.push(JSON.stringify([...response.headers]), await response.text().catch(() => ''));
  };
  const refused = ['{ missions(first: -1) { totalCount } }', '{ nonsense }', '{'];
  for (const document of [everything, allRootFields, ...refused, ...ownMistakes]) {
    const { text, headers } = await gateway.query(document, { key });
    texts.push(text, JSON.stringify([...headers]));
  }
  await read(`/graphql?query=${encodeURIComponent(allRootFields)}`);
  const withVariable = 'query ($first: Int!) { missions(first: $first) { totalCount } }';
  for (const body of [
    { query: withVariable, variables: { first: key } },
    { query: '{ id }', operationName: key },
  ])
    await read('/graphql', { method: 'POST', body: JSON.stringify(body) });
  await read('/graphql', { method: 'POST', body: `{"query":"${key}` });
  for (const spelling of spellingsOf(key)) await read(`/graphql?query={${encodeURIComponent(spelling)}}`, {}, key);
  await read(`/${key}`);
  return texts.join('\n');
}

test.for(Object.entries(scripts))('no secret comes out where %s', async ([, script], { startWith, upstream }) => {
  const gateway = await startWith({ UPSTREAM_TIMEOUT_MS: '150' });
  upstream.script(script);
  expectClean(gateway, await provoke(gateway), new URL(upstream.baseUrl).host);
  const exported = await downloadReport(gateway, key).catch(() => undefined);
  expect((await exported?.text().catch(() => '')) ?? '').not.toMatch(new RegExp(`${key}|at http|at file`));
  expectClean(gateway, await scrape(gateway), new URL(upstream.baseUrl).host);
});

test('no key, address or stack comes out where the upstream does not listen', async () => {
  const gateway = await startGateway('http://127.0.0.1:9/v2');
  expectClean(gateway, (await provoke(gateway)) + (await scrape(gateway)), '127.0.0.1:9');
  await gateway.close();
});

test('with EXPOSE_SECRETS secrets come out in responses alone', async ({ startWith, upstream }) => {
  const gateway = await startWith({ EXPOSE_SECRETS: 'true' });
  upstream.script(scripts['everything is well'] as Script);
  expect(await provoke(gateway)).toContain(secret);
  expectClean(gateway, await scrape(gateway), new URL(upstream.baseUrl).host);
});

function expectClean(gateway: Gateway, answers: string, host: string): void {
  const log = gateway.log.join('\n');
  expect(gateway.log.length).toBeGreaterThan(0);
  for (const text of [answers, log]) {
    for (const canary of [key, secret]) expect(canariesIn(text, canary)).toEqual([]);
    expect(text).not.toContain(host);
    // The cause of an API that is not reached is for operators: a member of the log and a label of a metric.
    const others = text.replaceAll(/"cause":"\w+"|cause="\w+"/g, '');
    expect(others).not.toMatch(/10\.1\.2\.3|\/v2\b|ECONN|\\n {4}at |node_modules/);
  }
}
