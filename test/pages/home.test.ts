import { expect, test, type Gateway } from '../support/gateway.ts';
import { expectGuarded, expectPolicy } from './page-guards.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const visit = (gateway: Gateway, path: string, init: RequestInit = {}): Promise<Response> =>
  gateway.fetch(path, { ...init, headers: { ...browser, ...(init.headers as Readonly<Record<string, string>>) } });
const linksOf = (html: string): readonly string[] => [
  ...new Set([...html.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href)),
];
test('leads a browser on from the root, to places that there are', async ({ gateway, upstream }) => {
  const response = await visit(gateway, '/');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await response.text();
  expect(html).toContain('Switchboard 0.');
  expect(html).toContain('<dd>api</dd>');
  const links = linksOf(html);
  expect(links).toEqual(expect.arrayContaining(['/graphql', '/voyager', '/schema.graphql', '/docs']));
  for (const link of links) expect([link, (await visit(gateway, link)).status]).toEqual([link, 200]);
  expect(upstream.requests).toEqual([]);
});

test('describes the same to a client as JSON', async ({ gateway }) => {
  for (const accept of ['*/*', 'application/json', 'text/html;q=0.1, application/json']) {
    const response = await gateway.fetch('/', { headers: { accept } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { endpoints, ...rest } = (await response.json()) as { endpoints: readonly string[] };
    expect(rest).toEqual({ name: 'switchboard', version: expect.any(String), upstream: 'api', status: 'ready' });
    expect(endpoints).toEqual(
      expect.arrayContaining(['/graphql', '/health', '/metrics', '/schema.graphql', '/voyager']),
    );
  }
});

test.for([
  ['/', "connect-src 'self'; "],
  ['/nothing', ''],
] as const)(
  'guards %s: scripts and styles of its own origin alone, in no frame, without a referrer',
  async ([path, more], { gateway }) => {
    const response = await visit(gateway, path, { headers: { origin: 'https://evil.example' } });
    const html = await response.text();
    expectPolicy(response, html, more);
    expectGuarded(response);
    expect([...html.matchAll(/(?:src|href)="([^":/]*):/g)].map(([, scheme]) => scheme)).toEqual(['data']);
  },
);

test('has modules and a style that browsers keep, and that import nothing but each other', async ({ gateway }) => {
  const html = await (await visit(gateway, '/')).text();
  const seen = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)].map(([, address = '']) => address));
  for (const address of seen) {
    const response = await gateway.fetch(address);
    expect([address, response.status]).toEqual([address, 200]);
    expect(response.headers.get('content-type')).toBe(
      address.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    );
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'");
    for (const [, name = ''] of (await response.text()).matchAll(/^import .* from '(.*)';/gm))
      seen.add(new URL(name, gateway.url + address).pathname);
  }
  expect([...seen].filter((address) => address.includes('/client/')).length).toBe(6);
});

test('gives a browser a page for an unknown address, which repeats nothing of it, and a client JSON', async ({
  gateway,
}) => {
  for (const path of ['/nothing', '/graphql/', '/%', '//', '/<script>alert(1)</script>', '/x?y=marker-y']) {
    const response = await visit(gateway, path);
    expect([path, response.status]).toEqual([path, 404]);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    expect(html).toContain('There is no such page');
    expect(html).not.toMatch(/alert|marker-y/);
    const json = await gateway.fetch(path, { headers: { accept: 'application/json' } });
    expect(json.status).toBe(404);
    expect(await json.json()).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  }
  const posted = await visit(gateway, '/nothing', { method: 'POST' });
  expect(posted.headers.get('content-type')).toMatch(/^application\/json\b/);
  // No cached page is confirmed where there is none.
  const etag = (await visit(gateway, '/nothing')).headers.get('etag') ?? '';
  expect((await visit(gateway, '/nothing', { headers: { 'if-none-match': etag } })).status).toBe(404);
});

test('leads to the tools for agents where there are any', async ({ startWith }) => {
  const gateway = await startWith({ MCP: 'true' });
  expect(linksOf(await (await visit(gateway, '/docs')).text())).toContain('/docs/agents.md');
  const guide = await visit(gateway, '/docs/agents.md');
  expect([guide.status, guide.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const closed = await startWith({ MCP: 'false' });
  expect((await visit(closed, '/docs/agents.md')).status).toBe(404);
});

test('leads nowhere that a setting has closed', async ({ startWith }) => {
  const gateway = await startWith({ INTROSPECTION: 'false', ADMIN_PORT: '0' });
  const links = linksOf(await (await visit(gateway, '/')).text());
  expect(links).not.toContain('/voyager');
  expect(links).not.toContain('/schema.graphql');
  const { endpoints } = (await (await gateway.fetch('/')).json()) as { endpoints: readonly string[] };
  for (const path of ['/voyager', '/schema.graphql', '/metrics']) expect(endpoints).not.toContain(path);
});

test('says to a browser why there is no schema where introspection is closed', async ({ gateway, startWith }) => {
  const closed = await startWith({ INTROSPECTION: 'false' });
  for (const path of ['/voyager', '/schema.graphql']) {
    const response = await visit(closed, path);
    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.text()).toContain('INTROSPECTION=false');
  }
  expect(await (await visit(gateway, '/nothing')).text()).not.toContain('INTROSPECTION');
});

test('EXPLORER=false describes itself to a browser as JSON, too', async ({ startWith }) => {
  const gateway = await startWith({ EXPLORER: 'false' });
  const response = await visit(gateway, '/');
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { endpoints } = (await response.json()) as { endpoints: readonly string[] };
  expect(endpoints).not.toContain('/docs/guide/start.md');
  expect((await visit(gateway, '/nothing')).headers.get('content-type')).toMatch(/^application\/json\b/);
});

test('refuses other methods than GET at the root', async ({ gateway }) => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const response = await visit(gateway, '/', { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  }
});

test('the schema begins with what Relay needs to know', async ({ gateway }) => {
  const sdl = await (await gateway.fetch('/schema.graphql')).text();
  expect(sdl).toMatch(/^# [^\n]*\n(?:#[^\n]*\n)*#[^\n]*"schemaConfig": \{ "nodeInterfaceIdField": "nodeId" \}/);
});
