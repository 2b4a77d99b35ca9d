import { expect, test } from '../../support/gateway.ts';
import { expectGuarded } from '../../support/page-guards.ts';

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
