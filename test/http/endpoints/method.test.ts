import http from 'node:http';
import { expect, test as base, type Gateway } from '../../support/gateway.ts';
import { ask } from '../../support/http.ts';

const test = base.extend<{ readonly whole: Gateway }>({
  // Everything that a gateway can serve on one port.
  whole: async ({ startWith }, use) => {
    const metadata = { PUBLIC_URL: 'https://gateway.example', AUTHORIZATION_SERVERS: 'https://login.example' };
    await use(await startWith({ MCP: 'true', ...metadata }));
  },
});

// A CONNECT never becomes a request: Node closes its connection.
const methods = http.METHODS.filter((method) => method !== 'CONNECT');

/** What else may be wrong with a request: each of these heads, and the body, has a refusal of its own. */
const oddities: readonly Readonly<Record<string, string>>[] = [
  {},
  { accept: 'text/csv;q=0, nothing', 'content-type': 'text/plain' },
  { accept: 'text/event-stream', 'content-type': 'application/json' },
  { accept: ',', authorization: 'Basic eDp5', 'last-event-id': '1.x' },
];

function allowedAt(path: string): readonly string[] {
  if (path === '/graphql') return ['GET', 'HEAD', 'POST', 'QUERY'];
  return path === '/mcp' ? ['POST'] : ['GET', 'HEAD'];
}

test('every endpoint refuses every other method, whatever else is wrong', async ({ whole, upstream }) => {
  const { endpoints } = (await (await whole.fetch('/')).json()) as { readonly endpoints: readonly string[] };
  expect(endpoints).toEqual(expect.arrayContaining(['/graphql', '/mcp', '/metrics', '/voyager']));
  for (const path of ['/', ...endpoints]) {
    const allowed = allowedAt(path);
    const others = methods.filter((method) => !allowed.includes(method));
    expect(others.length).toBeGreaterThan(20);
    for (const [index, headers] of oddities.entries()) {
      // All methods of the two endpoints that take bodies, and a few of the others, each beside another fault.
      const refused = index === 0 && allowed.includes('POST') ? others : others.slice(4 * index, 4 * index + 2);
      const answers = await Promise.all(
        refused.map(async (method) => ({ method, ...(await ask(whole.url, { path, method, headers, body: '{"x' })) })),
      );
      for (const { method, status, headers: answered } of answers) {
        expect([path, method, headers, status]).toEqual([path, method, headers, 405]);
        const allow = answered.find((line) => line.startsWith('allow: '))?.slice('allow: '.length) ?? '';
        expect(allow.replace(', HEAD', '').split(', ')).toEqual(allowed.filter((each) => each !== 'HEAD'));
      }
    }
  }
  expect(upstream.requests).toEqual([]);
});
