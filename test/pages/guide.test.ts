import { readdirSync, readFileSync } from 'node:fs';
import { expect, test, type Gateway } from '../support/gateway.ts';

const guides = [
  '/docs/guide/start.md',
  '/docs/guide/lists.md',
  '/docs/guide/live.md',
  '/docs/reference/errors.md',
  '/docs/reference/requests.md',
  '/docs/agents.md',
  '/docs/deployment.md',
] as const;
const onClients = readdirSync(new URL('../../docs/clients/', import.meta.url)).map((name) => `/docs/clients/${name}`);
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const titleIn = (path: string): string | undefined =>
  new RegExp(`\\[(.*)\\]\\(${path.slice(6)}\\)`).exec(read('/docs/README.md'))?.[1];
const read = (path: string): string => readFileSync(new URL(`../..${path}`, import.meta.url), 'utf8');
const get = (gateway: Gateway, path: string, accept: string, headers: Record<string, string> = {}): Promise<Response> =>
  gateway.fetch(path, { headers: { accept, ...headers } });
/** Every page of `docs/` is for users, but for these: `docs/README.md` has the others. */
const others = new Set(['architecture.md', 'decisions.md', 'sixth-endpoint.md', 'README.md']);
const served = readdirSync(new URL('../../docs/', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !others.has(name))
  .map((name) => `/docs/${name}`);
const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

test.for([
  ['application/json', 'text/markdown'],
  ['text/markdown, text/html, */*', 'text/markdown'],
  ['text/html;q=0.5, text/plain', 'text/plain'],
  ['nonsense', 'text/markdown'],
  [browser, 'text/html'],
  ['TEXT/HTML;q=0.4, */*;q=0.1', 'text/html'],
] as const)(
  'sends guides for Accept %j as %s, to the letter where that is no page',
  async ([accept, type], { gateway, upstream }) => {
    for (const path of guides) {
      const response = await get(gateway, path, accept);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
      expect(response.headers.get('vary')?.toLowerCase()).toBe('accept, accept-encoding');
      const text = await response.text();
      if (type !== 'text/html') {
        expect(text).toBe(read(path));
        continue;
      }
      expect(text).toContain(`<title>Switchboard: ${titleIn(path)}</title>`);
      for (const current of [path, '/docs']) expect(text).toContain(`<a href="${current}" aria-current="page">`);
    }
    expect(upstream.requests).toEqual([]);
  },
);

test('links guides to their headings and places that are served, and to no loopback address', async ({ gateway }) => {
  const pages = new Map<string, string>();
  for (const path of served) pages.set(path, await (await get(gateway, path, browser)).text());
  for (const [path, html] of pages) {
    const links = matches(html, /<a href="([^"]*)"/g);
    for (const link of links.filter((each) => !each.startsWith('https://'))) {
      const [page = '', anchor] = link.split('#');
      expect([link, (await get(gateway, page || path, browser)).status]).toEqual([link, 200]);
      if (anchor !== undefined) expect(pages.get(page || path)).toContain(` id="${anchor}">`);
    }
  }
  expect(pages.get('/docs/agents.md')).toContain('<a href="/docs/reference/errors.md">');
  const guide = pages.get('/docs/guide/start.md') ?? '';
  expect(matches(guide, /<a href="(#[^"]*)"/g).length).toBeGreaterThan(0);
  expect(matches(guide, /<a href="(\/docs\/clients\/[^"]*)"/g)).toEqual(expect.arrayContaining(onClients));
  for (const html of pages.values()) {
    const ids = matches(html, / id="([^"]*)"/g);
    expect(new Set(ids).size).toBe(ids.length);
  }
});

test('leads from /docs to every guide in groups, and tells their sections to a client as JSON', async ({ gateway }) => {
  const html = await (await get(gateway, '/docs', browser)).text();
  const [, main = ''] = html.split('<article');
  const links = matches(main, /<a href="([^"]*)"/g);
  expect([...new Set(links.map((link) => link.replace(/#.*/, '')))].sort()).toEqual([...served].sort());
  const groups = ['Start', 'Clients', 'Live data', 'Operate', 'Agents', 'Federation', 'Reference'];
  expect(matches(main, /<h2>(.*?)<\/h2>/g)).toEqual(groups);
  const response = await get(gateway, '/docs', 'application/json');
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('vary')?.toLowerCase()).toBe('accept, accept-encoding');
  const sections = (await response.json()) as readonly Record<string, string>[];
  expect(sections).toContainEqual({
    path: '/docs/clients/apollo.md#apollo-client',
    guide: 'Apollo Client',
    title: 'Apollo Client',
    text: expect.stringContaining('The cache settings come from'),
  });
  for (const { text } of sections) expect(text).not.toMatch(/<span class=|<\/code>|&(?:amp|lt|gt|quot|#39);/);
  for (const link of links) expect(sections.map(({ path = '' }) => path)).toContainEqual(expect.stringContaining(link));
});

test('each query of a guide opens in GraphiQL, and is one that the gateway takes', async ({ gateway }) => {
  const queries: string[] = [];
  for (const path of [...guides, ...onClients]) {
    const html = await (await get(gateway, path, browser)).text();
    queries.push(...matches(html, /<a href="(\/graphql\?query=[^"]*)"/g));
    // No occurrence stays that of the documents.
    const written = read(path).split('http://127.0.0.1:4000').length;
    expect([path, html.split('<span data-origin>http://127.0.0.1:4000</span>').length]).toEqual([path, written]);
  }
  expect(queries.length).toBeGreaterThanOrEqual(8);
  for (const query of queries) {
    expect((await get(gateway, query, browser)).headers.get('content-type')).toBe('text/html; charset=utf-8');
    const answer = await get(gateway, query, 'application/json, text/event-stream;q=0.5');
    expect(await answer.text()).not.toContain('GRAPHQL_');
  }
});

test('confirms a guide in each form by its own ETag', async ({ gateway }) => {
  const path = '/docs/guide/start.md';
  const [page, text] = [await get(gateway, path, browser), await get(gateway, path, 'text/markdown')];
  const tagOf = ({ headers }: Response) => ({ 'if-none-match': headers.get('etag') ?? '' });
  for (const [accept, own, other] of [[browser, page, text] as const, ['text/markdown', text, page] as const]) {
    const again = await get(gateway, path, accept, tagOf(own));
    expect([again.status, await again.text(), again.headers.get('cache-control')]).toEqual([304, '', 'no-cache']);
    for (const name of ['etag', 'vary', 'cache-control']) expect(again.headers.get(name)).toBe(own.headers.get(name));
    expect((await get(gateway, path, accept, tagOf(other))).status).toBe(200);
  }
});
