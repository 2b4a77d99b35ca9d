import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { expectGuarded } from '../support/page-guards.ts';

const guides = ['/docs/client-guide.md', '/docs/agents.md'] as const;
const onClients = readdirSync(new URL('../../docs/clients/', import.meta.url)).map((name) => `/docs/clients/${name}`);
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const read = (path: string): string => readFileSync(new URL(`../..${path}`, import.meta.url), 'utf8');
const get = (gateway: Gateway, path: string, accept: string, headers: Record<string, string> = {}): Promise<Response> =>
  gateway.fetch(path, { headers: { accept, ...headers } });
const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

test.for([
  ['text/markdown', 'text/markdown'],
  ['text/plain', 'text/plain'],
  ['*/*', 'text/markdown'],
  ['text/*', 'text/markdown'],
  ['', 'text/markdown'],
  ['application/json', 'text/markdown'],
  ['application/json, text/plain, */*', 'text/plain'],
  ['text/markdown, text/html;q=0.9, */*;q=0.8', 'text/markdown'],
  ['text/markdown, text/html, */*', 'text/markdown'],
  ['text/html;q=0.5, text/plain', 'text/plain'],
  ['text/html;q=0, */*', 'text/markdown'],
  ['nonsense', 'text/markdown'],
] as const)('sends guides as Markdown to the letter for Accept %j, as %s', async ([accept, type], { startWith }) => {
  const gateway = await startWith({ MCP: 'true' });
  for (const path of guides) {
    const response = await get(gateway, path, accept);
    expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    expect(response.headers.get('vary')?.toLowerCase()).toBe('accept, accept-encoding');
    expect(await response.text()).toBe(read(path));
  }
});

test.for([browser, 'text/html', 'TEXT/HTML;q=0.4, */*;q=0.1', 'text/html, text/markdown;q=0.9'])(
  'sends guides as pages for Accept %j',
  async (accept, { startWith, upstream }) => {
    const gateway = await startWith({ MCP: 'true' });
    for (const path of guides) {
      const response = await get(gateway, path, accept);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(response.headers.get('vary')?.toLowerCase()).toBe('accept, accept-encoding');
      const html = await response.text();
      const [title] = /(?<=^# ).*$/m.exec(read(path)) ?? [];
      expect(html).toContain(`<title>Switchboard: ${title}</title>`);
      expect(html).toContain(`<a href="${path}" aria-current="page">`);
    }
    expect(upstream.requests).toEqual([]);
  },
);

test('links guides to headings that they have and to places that are served, and to no loopback address', async ({
  startWith,
}) => {
  const gateway = await startWith({ MCP: 'true' });
  const pages = new Map<string, string>();
  for (const path of [...guides, ...onClients]) pages.set(path, await (await get(gateway, path, browser)).text());
  for (const [path, html] of pages) {
    const links = matches(html, /<a href="([^"]*)"/g);
    for (const link of links.filter((each) => !each.startsWith('https://'))) {
      const [page = '', anchor] = link.split('#');
      expect([link, (await get(gateway, page || path, browser)).status]).toEqual([link, 200]);
      if (anchor !== undefined) expect(pages.get(page || path)).toContain(` id="${anchor}">`);
    }
  }
  expect(pages.get('/docs/agents.md')).toContain('<a href="/docs/client-guide.md#errors">');
  const guide = pages.get('/docs/client-guide.md') ?? '';
  expect(matches(guide, /<a href="(#[^"]*)"/g).length).toBeGreaterThan(5);
  expect(matches(guide, /<a href="(\/docs\/clients\/[^"]*)"/g)).toEqual(expect.arrayContaining(onClients));
  const ids = matches(guide, / id="([^"]*)"/g);
  expect(new Set(ids).size).toBe(ids.length);
});

test('guards the pages of guides: own style alone, no script, no other address, in no frame', async ({ gateway }) => {
  const response = await get(gateway, '/docs/client-guide.md', browser, { origin: 'https://evil.example' });
  const html = await response.text();
  const [style = ''] = matches(html, /<style>([^]*?)<\/style>/g);
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`style-src 'sha256-${hash}'`);
  expect(policy).not.toMatch(/unsafe|https?:|connect-src/);
  expect(html).not.toMatch(/<script|<img|<picture| style=| on\w+=/);
  expect(matches(html, /(?:src|href)="([^":/#]*):/g).filter((scheme) => scheme !== 'https')).toEqual(['data']);
  expectGuarded(response);
});

test('confirms a guide in each form by its own ETag', async ({ gateway }) => {
  const tags = new Set<string>();
  for (const accept of [browser, 'text/markdown']) {
    const first = await get(gateway, '/docs/client-guide.md', accept);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const etag = first.headers.get('etag') ?? '';
    tags.add(etag);
    const again = await get(gateway, '/docs/client-guide.md', accept, { 'if-none-match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    for (const name of ['etag', 'vary', 'cache-control']) expect(again.headers.get(name)).toBe(first.headers.get(name));
  }
  expect(tags.size).toBe(2);
  for (const [accept, etag] of [
    ['text/markdown', [...tags][0] ?? ''],
    [browser, [...tags][1] ?? ''],
  ] as const)
    expect((await get(gateway, '/docs/client-guide.md', accept, { 'if-none-match': etag })).status).toBe(200);
});
