import { expect, type Gateway, testOfFile as test } from '../../support/gateway.ts';

const json = 'application/json';
const withVariable = 'query ($first: Int!) { missions(first: $first) { totalCount } }';

async function post(gateway: Gateway, body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': json, authorization: 'Bearer test-key', ...headers },
    body,
  });
  const text = await response.text();
  return { response, text, answer: JSON.parse(text) };
}

test('says of a coded body that it takes none, on every endpoint that takes one', async ({ startWith }) => {
  const gateway = await startWith({ MCP: 'true' });
  for (const [path, method] of [
    ['/graphql', 'QUERY'],
    ['/mcp', 'POST'],
  ] as const)
    for (const coding of ['gzip', 'br', 'deflate', 'x-gzip, gzip']) {
      const response = await gateway.fetch(path, {
        method,
        headers: { 'content-type': json, 'content-encoding': coding },
        body: '{"query":"{ __typename }"}',
      });
      expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    }
});

test('refuses an Authorization header that is too long, and repeats nothing of it', async ({ gateway }) => {
  const secret = 'hush'.repeat(10_000);
  const response = await gateway.fetch('/graphql?query={__typename}', {
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(response.status).toBe(431);
  expect(JSON.stringify([...response.headers]) + (await response.text()) + gateway.log.join('')).not.toContain('hush');
});

test("repeats no part of the caller's key in what it says of a request", async ({ gateway }) => {
  const key = 'KEY_0123456789abcdef';
  const bodies = [
    { query: `{ ${key} }` },
    { query: `{ missions(${key}: 1) { totalCount } }` },
    { query: withVariable, variables: { first: key } },
    { query: `query ${key} { missions(first: -1) { totalCount } }` },
    { query: `{ __typename } ${key}` },
  ].map((body) => JSON.stringify(body));
  for (const body of [...bodies, `{"query":"${key}`]) {
    const { text, answer } = await post(gateway, body, { authorization: `Bearer ${key}` });
    expect(answer.errors).toHaveLength(1);
    expect(text).not.toContain(key);
  }
  expect(gateway.log.join('')).not.toContain(key);
});
