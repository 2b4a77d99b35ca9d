import { expect, testOfFile as test } from '../../support/gateway.ts';
import { whenReady } from '../../support/process.ts';
import { ask, type RawAnswer, type RawRequest } from '../../support/http.ts';
import { pageReply } from '../../support/scripted-upstream.ts';

test('EXPLORER=false serves no page to a browser, and is ready without building one', async ({ startWith }) => {
  const gateway = await startWith({ EXPLORER: 'false' });
  for (const path of ['/', '/graphql', '/voyager', '/docs', '/docs/guide/start.md', '/nothing']) {
    const response = await gateway.fetch(path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  }
  expect((await gateway.fetch('/voyager')).status).toBe(404);
  expect((await gateway.fetch('/schema.graphql')).status).toBe(200);
  expect(await (await gateway.fetch('/health')).json()).toEqual({ status: 'ok' });
  await whenReady(gateway.url);
  expect(await (await gateway.fetch('/ready')).json()).toEqual({ status: 'ready' });
});

const headers = { 'content-type': 'application/json', authorization: 'Bearer test-key' };
const named = JSON.stringify({ query: 'query Missions { missions { totalCount } }' });

/** What does not differ from request to request. */
function settled({ status, headers: lines, text }: RawAnswer) {
  const kept = lines.filter((line) => !/^(?:x-request-id|accept-query|content-length):/.test(line));
  return { status, headers: kept, text: text.replaceAll(/"requestId":"[^"]*"/g, '') };
}

const requests: readonly RawRequest[] = [
  { headers, body: named },
  { headers, body: named, isChunked: true },
  { headers: { ...headers, accept: 'application/graphql-response+json' }, body: '{"query":"{ nothing }"}' },
  { headers, body: '{"query":"{ missions { totalCount } ... @defer { __typename } }"}' },
  { headers, body: '{"query":' },
  { headers, body: JSON.stringify({ query: `{ __typename #${'x'.repeat(1_100_000)}\n}` }) },
  { headers: { ...headers, 'content-type': 'text/plain' }, body: named },
  { headers: { ...headers, accept: 'text/csv;q=0, nothing' }, body: named },
  { headers: { 'content-type': 'application/json' }, body: named },
];

test('a request by QUERY is answered as one by POST, and logged as it came', async ({ startWith, upstream }) => {
  upstream.script((request) => pageReply([1, 2], request));
  const gateway = await startWith({ LOG_LEVEL: 'info' });
  for (const request of requests) {
    const [asked, posted] = [
      await ask(gateway.url, { ...request, method: 'QUERY' }),
      await ask(gateway.url, { ...request, method: 'POST' }),
    ];
    expect(settled(asked)).toEqual(settled(posted));
    expect(asked.headers).toContain('accept-query: application/json');
    expect(posted.headers.join()).not.toContain('accept-query');
  }
  // Of the two of each pair, either both or none: three times a page of missions.
  expect(upstream.requests).toHaveLength(6);
  await expect.poll(() => gateway.log).toHaveLength(2 * requests.length);
  const methods = gateway.log.map((line) => (JSON.parse(line) as { readonly method: string }).method);
  expect(methods).toEqual(requests.flatMap(() => ['QUERY', 'POST']));
});
