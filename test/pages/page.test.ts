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

test('has a small document, whose files browsers keep for ever and get compressed', async ({ gateway }) => {
  const response = await gateway.fetch('/graphql', { headers: html });
  const document = await response.text();
  expect(gzipSync(document).length).toBeLessThan(60_000);
  expect(document).not.toMatch(/<script(?! type="module" [^>]*src=)|<style| style=| on\w+=/);
  const files = [...document.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)].map(([, address = '']) => address);
  expect(files.length).toBeGreaterThan(1);
  for (const address of files) {
    expect(address).toMatch(/-[\w-]{8}\.(?:js|css)$/);
    const [zipped, plain] = await Promise.all(
      ['gzip', 'identity'].map((coding) => gateway.fetch(address, { headers: { 'accept-encoding': coding } })),
    );
    expect([address, zipped?.status, plain?.status]).toEqual([address, 200, 200]);
    expect(zipped?.headers.get('content-encoding')).toBe('gzip');
    expect(plain?.headers.get('content-encoding')).toBeNull();
    expect(zipped?.headers.get('content-type')).toBe(
      address.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    );
    expect(zipped?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(zipped?.headers.get('x-content-type-options')).toBe('nosniff');
    // Looked at apart from expect, which would print a million characters.
    expect((await zipped?.text()) === (await plain?.text())).toBe(true);
  }
  expect((await gateway.fetch('/assets/none.js')).status).toBe(404);
});
