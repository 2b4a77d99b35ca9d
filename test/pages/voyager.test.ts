import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildSchema,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, test } from '../support/gateway.ts';
import { expectGuarded } from './page-guards.ts';

/** The page's inline script, and all that is around it. */
function takeApart(html: string): { readonly script: string; readonly frame: string } {
  const [start, end] = [html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>')];
  return { script: html.slice(start, end), frame: html.slice(0, start) + html.slice(end) };
}

test('serves the picture to everybody, without an upstream call', async ({ gateway, upstream }) => {
  const response = await gateway.fetch('/voyager');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(upstream.requests).toEqual([]);
});

test('draws each type with its fields, and lists every type, field, argument and value of the SDL', async ({
  gateway,
}) => {
  const html = await (await gateway.fetch('/voyager')).text();
  const schema = buildSchema(await (await gateway.fetch('/schema.graphql')).text());
  const drawn = html.slice(html.indexOf('<svg xmlns'), html.indexOf('</svg>', html.indexOf('class="schema-picture"')));
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  for (const type of types) {
    if (isSpecifiedScalarType(type)) continue;
    expect(html).toContain(`<section class="type" id="${type.name}">`);
    const isPart = /(?:[a-z]Connection|Edge|PageInfo)$/.test(type.name) && type.name !== 'IpConnection';
    const isDrawn = isCompositeType(type) && !isPart;
    expect([type.name, drawn.includes(`id="picture-${type.name}"`)]).toEqual([type.name, isDrawn]);
    if (isEnumType(type)) for (const { name } of type.getValues()) expect(html).toContain(`id="${type.name}.${name}"`);
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const [name, field] of Object.entries(type.getFields())) {
      expect(html).toContain(`<dt id="${type.name}.${name}">`);
      if (isDrawn) expect(drawn).toContain(`<a href="#${type.name}.${name}" tabindex="-1">`);
      for (const arg of 'args' in field ? field.args : []) expect(html).toContain(`<li><code>${arg.name}: `);
    }
  }
});

test('loads nothing from another address', async ({ gateway }) => {
  const { script, frame } = takeApart(await (await gateway.fetch('/voyager')).text());
  const loaded = [...frame.matchAll(/<(?!a\b)[^>]*(?:src|href)="([^:"]*)/g)].map(([, scheme]) => scheme);
  expect(loaded).toEqual(['data']);
  expect(frame).not.toMatch(/<script\b[^>]|@import|url\((?!#)|sourceMappingURL/);
  // Else the page would end early, or never.
  expect(script).not.toMatch(/<!--|<\/?script/i);
});

test('leads to the other pages, and to none of another origin', async ({ gateway }) => {
  const { frame } = takeApart(await (await gateway.fetch('/voyager')).text());
  const links = new Set([...frame.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href));
  expect([...links]).toEqual(expect.arrayContaining(['/', '/graphql', '/schema.graphql', '/docs']));
  for (const link of links) expect(link).toMatch(/^(?:#|\/(?!\/))/);
});

test('guards its page: own script and style alone, no origin at all, in no frame, without a referrer', async ({
  gateway,
}) => {
  const response = await gateway.fetch('/voyager', { headers: { origin: 'https://evil.example' } });
  const html = await response.text();
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(html) ?? [];
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
  expect(response.headers.get('content-security-policy')?.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'img-src data:',
    `script-src 'sha256-${hashOf(takeApart(html).script)}'`,
    `style-src 'sha256-${hashOf(style)}'`,
  ]);
  expectGuarded(response);
});

test('is compressed to less than 40 kB', async ({ gateway }) => {
  const [zipped, plain] = await Promise.all(
    ['gzip', 'identity'].map((encoding) => gateway.fetch('/voyager', { headers: { 'accept-encoding': encoding } })),
  );
  expect(zipped?.headers.get('content-encoding')).toBe('gzip');
  expect(Number(zipped?.headers.get('content-length'))).toBeLessThan(40_000);
  expect(plain?.headers.has('content-encoding')).toBe(false);
  expect(zipped?.headers.get('vary')).toBe('accept-encoding');
  const text = await plain?.text();
  expect(Number(plain?.headers.get('content-length'))).toBe(Buffer.byteLength(text ?? ''));
  expect(await zipped?.text()).toBe(text);
});

test.for([
  ['gzip, deflate, br', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['*', 'gzip'],
  ['gzip;q=0', null],
  ['br, gzip; q=0.000, *', null],
  ['*;q=0', null],
  ['deflate, not-gzip', null],
  ['', null],
] as const)('to who accepts %j it goes as %j', async ([encodings, expected], { gateway }) => {
  const response = await gateway.fetch('/voyager', { method: 'HEAD', headers: { 'accept-encoding': encodings } });
  expect(response.headers.get('content-encoding')).toBe(expected);
});

test.for(['/voyager', '/graphql'])('responds 304 for %s to a browser that has it', async (path, { gateway }) => {
  const headers = { accept: 'text/html' };
  const first = await gateway.fetch(path, { headers });
  expect(first.headers.get('cache-control')).toBe('no-cache');
  const etag = first.headers.get('etag') ?? '';
  const again = await gateway.fetch(path, { headers: { ...headers, 'if-none-match': etag } });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe('');
  for (const name of ['etag', 'vary', 'cache-control', 'content-security-policy'])
    expect(again.headers.get(name)).toBe(first.headers.get(name));
  const statusFor = async (tags: string): Promise<number> =>
    (await gateway.fetch(path, { headers: { ...headers, 'if-none-match': tags } })).status;
  for (const known of [`"a, b", ${etag}`, `${etag},W/"other"`, etag.replace('W/', ''), '*'])
    expect(await statusFor(known)).toBe(304);
  for (const other of ['W/"other"', etag.slice(0, -2), etag.replaceAll('"', ''), '"*"'])
    expect(await statusFor(other)).toBe(200);
});

test.for(['bytes=0-1', 'bytes=0-0,2-3', `bytes=${'0-,'.repeat(4_000)}`, 'bytes=-1', 'lines=1'])(
  'sends all of it, and no part, to who asks for the range %.30s',
  async (range, { gateway }) => {
    const response = await gateway.fetch('/voyager', { headers: { range } });
    expect(response.status).toBe(200);
    expect((await response.text()).length).toBeGreaterThan(100_000);
  },
);

test.for(['/voyager/', '/voyager/schema-picture.svg', '/voyage', '/Voyager'])(
  'does not know %s',
  async (path, { gateway }) => {
    expect((await gateway.fetch(path)).status).toBe(404);
  },
);

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
