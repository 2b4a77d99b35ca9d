import { freeQueryPart } from '../../src/mcp/mcp-server.ts';
import { describe, expect, type Gateway } from '../support/gateway.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { askTools, callTool, errorOf, textsOf } from '../support/tool-client.ts';
import { toolsOfFile } from './gateway-of-tools.ts';

const test = toolsOfFile({ MCP_QUERIES: 'true' });

interface Listed {
  readonly name: string;
  readonly description: string;
}

async function listed(gateway: Gateway): Promise<readonly Listed[]> {
  const { result } = await askTools(gateway, 'tools/list');
  return result.tools;
}

describe('MCP_QUERIES', () => {
  test('adds the tool, which is not there without it', async ({ tools, startWith }) => {
    expect((await listed(tools)).at(-1)?.name).toBe('run_query');
    const others = await listed(await startWith({ MCP: 'true' }));
    expect(others.map(({ name }) => name)).not.toContain('run_query');
  });

  test('cannot be on where only trusted documents run', async ({ startWith }) => {
    const env = { MCP_QUERIES: 'true', PERSISTED_OPERATIONS: 'x', PERSISTED_OPERATIONS_ONLY: 'true' };
    await expect(startWith(env)).rejects.toThrow('MCP_QUERIES must be false where PERSISTED_OPERATIONS_ONLY is true');
  });
});

describe('the schema', () => {
  test('is read by the query that the tool describes, without a call', async ({ tools, upstream }) => {
    const description = (await listed(tools)).at(-1)?.description ?? '';
    const [example = ''] = /\{ __type.* \}(?=;)/.exec(description) ?? [];
    for (const [type, field] of [
      ['Query', 'webhookDeliveries'],
      ['Mission', 'instructions'],
    ] as const) {
      const answer = await callTool(tools, 'run_query', { query: example.replace('"Query"', `"${type}"`) });
      const { __type: found } = JSON.parse(textsOf(answer)[0] ?? '');
      expect(found.fields.map(({ name }: { readonly name: string }) => name)).toContain(field);
    }
    expect(description).toContain('/schema.graphql');
    expect((await tools.fetch('/schema.graphql')).status).toBe(200);
    expect(upstream.requests).toEqual([]);
  });

  test('is neither shown nor offered where INTROSPECTION is off', async ({ startWith }) => {
    const gateway = await startWith({ MCP: 'true', MCP_QUERIES: 'true', INTROSPECTION: 'false' });
    expect((await listed(gateway)).at(-1)?.description).not.toContain('schema');
    const answer = await callTool(gateway, 'run_query', { query: '{ __schema { types { name } } }' });
    expect(answer.result.isError).toBe(true);
    expect(textsOf(answer).join('')).not.toContain('IpConnection');
  });
});

describe('run_query', () => {
  test('runs a query with variables, as /graphql does', async ({ tools, upstream }) => {
    upstream.script((request) => pageReply([missionRecord({ name: 'One' })], request));
    const query = 'query($n: Int) { missions(first: $n) { nodes { name } totalCount } }';
    const answer = await callTool(tools, 'run_query', { query, variables: { n: 2 } });
    expect(textsOf(answer)[0]).toBe('{"missions":{"nodes":[{"name":"One"}],"totalCount":1}}');
    const { text } = await tools.query(query, { variables: { n: 2 } });
    expect(text).toBe(`{"data":${textsOf(answer)[0]}}`);
  });

  test('may cost a part of what an operation may', async ({ startWith, upstream }) => {
    const gateway = await startWith({ MCP: 'true', MCP_QUERIES: 'true', LIMIT_COST: String(100 * freeQueryPart) });
    upstream.script((request) => pageReply([], request));
    const query = '{ missions(first: 200) { nodes { id } } }';
    const refused = await callTool(gateway, 'run_query', { query });
    expect(errorOf(refused)).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 100, retryable: false });
    expect(upstream.requests).toEqual([]);
    expect((await gateway.query(query)).errors).toEqual([]);
  });

  test.for<[what: string, args: Readonly<Record<string, unknown>>, error: object]>([
    ['nothing', {}, { code: 'BAD_USER_INPUT', argument: ['query'] }],
    ['no GraphQL', { query: '{ miss' }, { code: 'GRAPHQL_PARSE_FAILED', next: 'Correct the query and call again.' }],
    ['an unknown field', { query: '{ nope }' }, { code: 'GRAPHQL_VALIDATION_FAILED' }],
    ['two operations', { query: 'query A { __typename } query B { __typename }' }, { argument: ['query'] }],
    ['a subscription', { query: 'subscription { webhookDeliveries { id } }' }, { argument: ['query'] }],
    ['pieces', { query: '{ ... @defer { missions { totalCount } } }' }, { argument: ['query'] }],
    ['variables in a list', { query: '{ __typename }', variables: [1] }, { argument: ['variables'] }],
    [
      'a variable that does not fit',
      { query: 'query($n: Int!) { missions(first: $n) { totalCount } }', variables: { n: 'x' } },
      { code: 'BAD_USER_INPUT', argument: ['variables', 'n'] },
    ],
    ['a long document', { query: `{ ${'a '.repeat(5_000)} }` }, { code: 'QUERY_TOO_COMPLEX' }],
    ['a deep document', { query: '{ a '.repeat(1_000) }, { code: expect.stringMatching(/QUERY_TOO|PARSE/) }],
  ])('refuses %s', async ([, args, error], { tools, upstream }) => {
    const answer = await callTool(tools, 'run_query', args);
    expect(answer.result.isError).toBe(true);
    expect(errorOf(answer)).toMatchObject({ retryable: false, ...error });
    expect(upstream.requests).toEqual([]);
  });

  test('says so where a result would be too long for a model', async ({ tools, upstream }) => {
    const metadata = Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`name ${index}`, 'some value']));
    upstream.script((request) => pageReply([missionRecord({ metadata, name: 7 })], request));
    const answer = await callTool(tools, 'run_query', { query: '{ missions { nodes { metadata } } }' });
    expect(errorOf(answer)).toMatchObject({ code: 'QUERY_TOO_COMPLEX', next: expect.stringContaining('fewer rows') });
    const failed = await callTool(tools, 'run_query', { query: '{ missions { nodes { name metadata } } }' });
    expect(textsOf(failed).at(-1)).toMatch(/^The result is too long/);
  });
});
