import { expect, test } from '../support/gateway.ts';
import { expectGuarded } from '../support/page-guards.ts';
import { ask } from '../support/raw-client.ts';

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
  expect(policy.get('script-src')).toMatch(/^'sha256-[\w+/]{43}='$/);
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
  ['br;q=1, gzip;q=0.1', 'gzip'],
  ['br, zstd', null],
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

test('sends the page of gzip in plain form to those who take no coding, at once and one after the other', async ({
  gateway,
}) => {
  const read = async (coding: string): Promise<string> => {
    const response = await gateway.fetch('/graphql', { headers: { ...html, 'accept-encoding': coding } });
    expect(response.headers.get('content-encoding')).toBe(coding === 'gzip' ? 'gzip' : null);
    return response.text();
  };
  const [zipped, ...plain] = await Promise.all(['gzip', 'identity', 'identity'].map(read));
  // Looked at apart from expect, which would print nine million characters.
  expect(zipped?.includes('graphiql')).toBe(true);
  for (const text of [...plain, await read('identity')]) expect(text === zipped).toBe(true);
});
