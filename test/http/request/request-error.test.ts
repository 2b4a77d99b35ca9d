import { expect, testOfFile as test } from '../../support/gateway.ts';

test.for([
  ['/graphql', 'QUERY'],
  ['/mcp', 'POST'],
] as const)('says of a coded body that it takes none: %s, %s', async ([path, method], { startWith }) => {
  const gateway = await startWith({ MCP: 'true' });
  for (const coding of ['gzip', 'x-gzip, gzip']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };
    const response = await gateway.fetch(path, { method, headers, body: '{"query":"{ __typename }"}' });
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
    { query: 'query ($first: Int!) { missions(first: $first) { totalCount } }', variables: { first: key } },
    { query: `query ${key} { missions(first: -1) { totalCount } }` },
    { query: `{ __typename } ${key}` },
  ].map((body) => JSON.stringify(body));
  for (const body of [...bodies, `{"query":"${key}`]) {
    const text = await (await gateway.post(body, { authorization: `Bearer ${key}` })).text();
    expect(JSON.parse(text).errors).toHaveLength(1);
    expect(text).not.toContain(key);
  }
  expect(gateway.log.join('')).not.toContain(key);
});
