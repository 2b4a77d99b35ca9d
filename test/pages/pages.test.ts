import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { buildSchema, isCompositeType, isInterfaceType, isObjectType } from 'graphql';
import { expect, test, type Gateway } from '../support/gateway.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const visit = (gateway: Gateway, path: string, init: RequestInit = {}): Promise<Response> =>
  gateway.fetch(path, { ...init, headers: { ...browser, ...(init.headers as Readonly<Record<string, string>>) } });
const linksOf = (html: string): readonly string[] => [
  ...new Set([...html.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href)),
];
const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test.for([
  ['/', "connect-src 'self'; "],
  ['/nothing', ''],
  ['/docs/guide/start.md', "connect-src 'self'; "],
  ['/voyager', ''],
] as const)('guards %s: own files, no frame, no referrer', async ([path, more], { gateway }) => {
  const response = await visit(gateway, path, { headers: { origin: 'https://evil.example' } });
  expectGuarded(response);
  const html = await response.text();
  expect(html).not.toMatch(/<img|<picture|<script>| on\w+=/);
  const [, style] = /<style>([^]*?)<\/style>/.exec(html) ?? [];
  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self'${style ? ` ${sourceOf(style)}` : ''}; ` +
      `img-src data:; ${more}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  const schemes = [...html.matchAll(/(?:src|href)="([^":/#]*):/g)].map(([, scheme]) => scheme);
  expect(schemes.filter((scheme) => scheme !== 'https')).toEqual(['data']);
});

test('guards GraphiQL: own files, own origin, no frame, no referrer', async ({ gateway }) => {
  const response = await visit(gateway, '/graphql', { headers: { origin: 'https://evil.example' } });
  expectGuarded(response);
  expect(response.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; font-src data:; " +
      "worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  const html = await response.text();
  expect(html).not.toMatch(/<script(?! type="module" [^>]*src=)|<style| style=| on\w+=/);
  expect(gzipSync(html).length).toBeLessThan(60_000);
});

function expectGuarded({ headers }: Response): void {
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  });
  expect(headers.has('access-control-allow-origin')).toBe(false);
}

const noPages = ['/graphql?query={__typename}', '/schema.graphql', '/health', '/metrics'];
test.for(noPages)('lets no browser guess the type of %s', async (path, { gateway }) => {
  expect((await gateway.fetch(path)).headers.get('x-content-type-options')).toBe('nosniff');
});

test.for(['/', '/graphql'])('has files of %s that browsers keep for ever, compressed', async (path, { gateway }) => {
  const html = await (await visit(gateway, path)).text();
  const seen = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)].map(([, address = '']) => address));
  expect(seen.size).toBeGreaterThan(1);
  for (const address of seen) {
    const [zipped, plain] = await Promise.all(
      ['gzip', 'identity'].map((coding) => gateway.fetch(address, { headers: { 'accept-encoding': coding } })),
    );
    expect(zipped?.headers.get('content-encoding')).toBe('gzip');
    expect(Object.fromEntries(plain?.headers ?? [])).toMatchObject({
      'content-type': address.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    expect(plain?.headers.get('content-encoding')).toBeNull();
    const text = (await plain?.text()) ?? '';
    // Looked at apart from expect, which would print a million characters.
    expect((await zipped?.text()) === text).toBe(true);
    if (path === '/')
      for (const [, name = ''] of text.matchAll(/^import .* from '(.*)';/gm))
        seen.add(new URL(name, gateway.url + address).pathname);
  }
  expect((await gateway.fetch('/assets/none.js')).status).toBe(404);
});

test('leads a browser on from the root, to places that there are', async ({ gateway, upstream }) => {
  const html = await (await visit(gateway, '/')).text();
  expect(html).toContain('Switchboard 0.');
  expect(html).toContain('Upstream: api');
  const links = linksOf(html);
  expect(links).toEqual(expect.arrayContaining(['/graphql', '/voyager', '/schema.graphql', '/docs']));
  for (const link of links) expect([link, (await visit(gateway, link)).status]).toEqual([link, 200]);
  expect(upstream.requests).toEqual([]);
});

test('describes the same to a client as JSON', async ({ gateway }) => {
  for (const accept of ['*/*', 'application/json', 'text/html;q=0.1, application/json']) {
    const response = await gateway.fetch('/', { headers: { accept } });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { endpoints, ...rest } = (await response.json()) as { endpoints: readonly string[] };
    expect(rest).toEqual({ name: 'switchboard', version: expect.any(String), upstream: 'api', status: 'ready' });
    expect(endpoints).toEqual(
      expect.arrayContaining(['/graphql', '/health', '/metrics', '/schema.graphql', '/voyager']),
    );
  }
});

test('gives a browser a page for an unknown address, which repeats nothing of it, and a client JSON', async ({
  gateway,
}) => {
  const near = ['/graphql/', '/graphq', '/GRAPHQL', '/constructor', '/__proto__', '/metrics/x'];
  for (const path of ['/nothing', ...near, '/%', '//', '/<script>alert(1)</script>', '/x?y=marker-y']) {
    const response = await visit(gateway, path);
    expect([path, response.status]).toEqual([path, 404]);
    const html = await response.text();
    expect(html).toContain('There is no such page');
    expect(html).not.toMatch(/alert|marker-y/);
    const json = await gateway.fetch(path, { headers: { accept: 'application/json' } });
    const extensions = { code: 'NOT_FOUND', retryable: false, requestId: json.headers.get('x-request-id') };
    expect([json.status, await json.json()]).toMatchObject([404, { errors: [{ extensions }] }]);
  }
  const posted = await visit(gateway, '/nothing', { method: 'POST' });
  expect(posted.headers.get('content-type')).toMatch(/^application\/json\b/);
  // No cached page is confirmed where there is none.
  const etag = (await visit(gateway, '/nothing')).headers.get('etag') ?? '';
  expect((await visit(gateway, '/nothing', { headers: { 'if-none-match': etag } })).status).toBe(404);
});

test('leads nowhere that a setting has closed, and says to a browser why', async ({ startWith }) => {
  const gateway = await startWith({ INTROSPECTION: 'false', ADMIN_PORT: '0' });
  const links = linksOf(await (await visit(gateway, '/')).text());
  const { endpoints } = (await (await gateway.fetch('/')).json()) as { endpoints: readonly string[] };
  for (const path of ['/voyager', '/schema.graphql']) {
    expect([...links, ...endpoints]).not.toContain(path);
    const response = await visit(gateway, path);
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('INTROSPECTION=false')]);
    expect((await gateway.fetch(path)).status).toBe(404);
  }
  expect(endpoints).not.toContain('/metrics');
});

test('the schema begins with what Relay needs to know', async ({ gateway }) => {
  const sdl = await (await gateway.fetch('/schema.graphql')).text();
  expect(sdl).toMatch(/^# [^\n]*\n(?:#[^\n]*\n)*#[^\n]*"schemaConfig": \{ "nodeInterfaceIdField": "nodeId" \}/);
});

test('the picture draws each type with its fields, and leads from fields to types, without a call', async ({
  gateway,
  upstream,
}) => {
  const html = await (await gateway.fetch('/voyager')).text();
  const schema = buildSchema(await (await gateway.fetch('/schema.graphql')).text());
  for (const type of Object.values(schema.getTypeMap())) {
    const isPart = /(?:[a-z]Connection|Edge|PageInfo)$/.test(type.name) && type.name !== 'IpConnection';
    const isDrawn = isCompositeType(type) && !isPart && !type.name.startsWith('__');
    expect([type.name, html.includes(`id="picture-${type.name}"`)]).toEqual([type.name, isDrawn]);
    if (!isDrawn || !(isObjectType(type) || isInterfaceType(type))) continue;
    const box = html.slice(html.indexOf(`id="picture-${type.name}"`)).split('</g>\n<g ')[0] ?? '';
    for (const name of Object.keys(type.getFields())) expect(box).toMatch(new RegExp(`>${name}(?:\\(…\\))?</text>`));
  }
  const targets = [...html.matchAll(/href="#([^"]*)"/g)].map(([, id = '']) => id);
  expect(targets.length).toBeGreaterThan(30);
  for (const id of targets) expect(html).toContain(`id="${id}"`);
  expect(upstream.requests).toEqual([]);
});

test('responds 304 to a browser that has the page, and counts and logs the visit by its path', async ({ gateway }) => {
  const first = await gateway.fetch('/voyager?whatever=1');
  const etag = first.headers.get('etag') ?? '';
  const again = await gateway.fetch('/voyager', { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  for (const name of ['etag', 'vary', 'cache-control', 'content-security-policy'])
    expect(again.headers.get(name)).toBe(first.headers.get(name));
  expect((await gateway.fetch('/voyager', { headers: { 'if-none-match': 'W/"other"' } })).status).toBe(200);
  await expect.poll(() => gateway.log.map((line) => JSON.parse(line).endpoint)).toContain('/voyager');
  const metrics = await (await gateway.fetch('/metrics')).text();
  expect(metrics).toContain('switchboard_http_request_duration_seconds_count{endpoint="/voyager",status="304"} 1');
});
