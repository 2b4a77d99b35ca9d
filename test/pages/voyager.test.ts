import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { buildSchema, isCompositeType, isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from '../support/gateway.ts';
import { expectGuarded, expectPolicy } from './page-guards.ts';

test('draws each type with its fields, and leads from fields to types, without an upstream call', async ({
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

test('guards its page: files of its own origin alone, and no request', async ({ gateway }) => {
  const response = await gateway.fetch('/voyager', { headers: { origin: 'https://evil.example' } });
  const html = await response.text();
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(html) ?? [];
  expectPolicy(response, html, '', ` 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  expectGuarded(response);
  const links = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href);
  expect(links).toEqual(expect.arrayContaining(['/', '/graphql', '/schema.graphql', '/docs']));
  for (const link of links) expect(link).toMatch(/^(?:#|\/(?!\/))/);
});

test('responds 304 to a browser that has the page', async ({ gateway }) => {
  const first = await gateway.fetch('/voyager');
  const etag = first.headers.get('etag') ?? '';
  const again = await gateway.fetch('/voyager', { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  for (const name of ['etag', 'vary', 'cache-control', 'content-security-policy'])
    expect(again.headers.get(name)).toBe(first.headers.get(name));
  expect((await gateway.fetch('/voyager', { headers: { 'if-none-match': 'W/"other"' } })).status).toBe(200);
});

test('shows its schema where introspection is refused', async ({ startWith }) => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-picture-'));
  try {
    const manifest = join(folder, 'manifest.json');
    await writeFile(manifest, JSON.stringify({ one: '{ __typename }' }));
    const gateway = await startWith({ PERSISTED_OPERATIONS: manifest, PERSISTED_OPERATIONS_ONLY: 'true' });
    const refused = await gateway.query('{ __schema { queryType { name } } }');
    expect(refused.errors[0].extensions.code).toBe('PERSISTED_QUERY_ID_REQUIRED');
    expect((await gateway.fetch('/schema.graphql')).status).toBe(200);
    expect(await (await gateway.fetch('/voyager')).text()).toContain('id="picture-IpConnection"');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('counts its visits and logs them by its name', async ({ gateway }) => {
  await (await gateway.fetch('/voyager?whatever=1')).text();
  await expect.poll(() => gateway.log.map((line) => JSON.parse(line).endpoint)).toEqual(['/voyager']);
  const metrics = await (await gateway.fetch('/metrics')).text();
  expect(metrics).toContain('switchboard_http_request_duration_seconds_count{endpoint="/voyager",status="200"} 1');
});
