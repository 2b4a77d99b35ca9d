import { gzipSync } from 'node:zlib';
import { expect, test } from '../support/gateway.ts';
import { expectGuarded } from './page-guards.ts';
import { ask } from '../support/http.ts';

const html = { accept: 'text/html' };

test('guards its page: own script alone, own origin alone, in no frame, without a referrer', async ({ gateway }) => {
  const response = await gateway.fetch('/graphql', {
    headers: { accept: 'text/html', origin: 'https://evil.example' },
  });
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = new Map(
    (response.headers.get('content-security-policy') ?? '').split('; ').map((part) => {
      const [name = '', ...values] = part.split(' ');
      return [name, values.join(' ')];
    }),
  );
  expect(policy.get('default-src')).toBe("'none'");
  expect(policy.get('script-src')).toBe("'self'");
  expect(policy.get('worker-src')).toBe("'self'");
  expect(policy.get('connect-src')).toBe("'self'");
  for (const name of ['base-uri', 'form-action', 'frame-ancestors']) expect(policy.get(name)).toBe("'none'");
  expectGuarded(response);
});

test.for(['/graphql?query={__typename}', '/schema.graphql', '/voyager', '/health', '/metrics', '/nothing'])(
  'lets no browser guess the type of %s',
  async (path, { gateway }) => {
    expect((await gateway.fetch(path)).headers.get('x-content-type-options')).toBe('nosniff');
  },
);

test.for([
  ['gzip', 'gzip'],
  ['GZip;Q=0', null],
  ['gzip;q=Infinity', null],
  ['br;q=1, gzip;q=0.1', 'br'],
  ['br, zstd', 'zstd'],
  ['identity, gzip;q=0.5', null],
  [`${'a,'.repeat(5_000)}gzip`, null],
] as const)('sends pages for Accept-Encoding %j in the coding %j', async ([accepts, coding], { gateway }) => {
  for (const path of ['/graphql', '/nothing']) {
    const { headers } = await ask(gateway.url, {
      method: 'HEAD',
      path,
      headers: { ...html, 'accept-encoding': accepts },
    });
    const found = headers.find((header) => header.startsWith('content-encoding: ')) ?? null;
    expect(found).toBe(coding && `content-encoding: ${coding}`);
    expect(headers.find((header) => header.startsWith('vary: '))).toMatch(/accept-encoding/i);
  }
});

test('has a small document, whose files browsers keep for as long as their address stands', async ({ gateway }) => {
  const response = await gateway.fetch('/graphql', { headers: html });
  const document = await response.text();
  expect(gzipSync(document).length).toBeLessThan(60_000);
  expect(document).not.toMatch(/<script(?! defer src=)|<style| style=| on\w+=/);
  const files = [...document.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)].map(([, address = '']) => address);
  expect(files).toHaveLength(3);
  for (const address of files) {
    const kept = await gateway.fetch(address);
    expect([address, kept.status]).toEqual([address, 200]);
    expect(kept.headers.get('content-type')).toBe(
      address.includes('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    );
    expect(kept.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(kept.headers.get('x-content-type-options')).toBe('nosniff');
    // A page of before or after a deployment gets the file, and keeps it no longer.
    const other = await gateway.fetch(address.replace(/\?.*/, '?other'));
    expect([other.status, other.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const etag = kept.headers.get('etag') ?? '';
    expect((await gateway.fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304);
  }
  expect((await gateway.fetch('/assets/none.js')).status).toBe(404);
});

test('sends the page of gzip in plain form to those who take no coding, at once and one after the other', async ({
  gateway,
}) => {
  const read = async (coding: string): Promise<string> => {
    const response = await gateway.fetch('/assets/graphiql.js', { headers: { 'accept-encoding': coding } });
    expect(response.headers.get('content-encoding')).toBe(coding === 'gzip' ? 'gzip' : null);
    return response.text();
  };
  const [zipped, ...plain] = await Promise.all(['gzip', 'identity', 'identity'].map(read));
  // Looked at apart from expect, which would print nine million characters.
  expect(zipped?.includes('GraphiQL')).toBe(true);
  for (const text of [...plain, await read('identity')]) expect(text === zipped).toBe(true);
});
