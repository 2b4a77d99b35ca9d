import { describe } from 'vitest';
import { freeQueryPart } from '../../src/composition/graphql.ts';
import { schemaSearchBytes } from '../../src/mcp/schema-search.ts';
import { argumentTextBytes } from '../../src/bounds.ts';
import { expect, type Gateway } from '../support/gateway.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { askTools, callTool, errorOf, textsOf } from '../support/tool-client.ts';
import { toolsOfFile } from './gateway-of-tools.ts';

const test = toolsOfFile({ MCP_QUERIES: 'true' });

const namesOf = async (gateway: Gateway): Promise<readonly string[]> => {
  const { result } = await askTools(gateway, 'tools/list');
  return result.tools.map(({ name }: { readonly name: string }) => name);
};
const search = async (gateway: Gateway, words: string): Promise<string> => {
  const answer = await callTool(gateway, 'search_schema', { words });
  return textsOf(answer)[0] ?? '';
};

describe('MCP_QUERIES', () => {
  test('adds the two tools, and they are not there without it', async ({ tools, startWith }) => {
    expect((await namesOf(tools)).slice(-2)).toEqual(['search_schema', 'run_query']);
    const others = await namesOf(await startWith({ MCP: 'true' }));
    expect(others).not.toContain('run_query');
    expect(others).not.toContain('search_schema');
  });

  test('shows no schema where INTROSPECTION is off', async ({ startWith }) => {
    const gateway = await startWith({ MCP: 'true', MCP_QUERIES: 'true', INTROSPECTION: 'false' });
    expect((await namesOf(gateway)).at(-1)).toBe('run_query');
    expect(await namesOf(gateway)).not.toContain('search_schema');
    const answer = await callTool(gateway, 'run_query', { query: '{ __schema { types { name } } }' });
    expect(answer.result.isError).toBe(true);
    expect(textsOf(answer).join('')).not.toContain('IpConnection');
  });

  test('cannot be on where only trusted documents run', async ({ startWith }) => {
    const env = { MCP_QUERIES: 'true', PERSISTED_OPERATIONS: 'x', PERSISTED_OPERATIONS_ONLY: 'true' };
    await expect(startWith(env)).rejects.toThrow('MCP_QUERIES must be false where PERSISTED_OPERATIONS_ONLY is true');
  });
});

describe('search_schema', () => {
  test.for<[words: string, types: readonly string[]]>([
    ['failed webhook deliveries', ['WebhookDelivery', 'WebhookDeliveryFilter', 'Query']],
    ['what a phone number was charged', ['ChargesBreakdownResult', 'Query']],
    ['SIP codecs inbound', ['IpConnectionInbound', 'Query']],
    ['mission instructions', ['Mission', 'Query']],
  ])('finds the types for: %s', async ([words, types], { tools, upstream }) => {
    const text = await search(tools, words);
    for (const type of types) expect(text).toMatch(new RegExp(`^(?:type|input) ${type} \\{$`, 'm'));
    expect(upstream.requests).toEqual([]);
  });

  test.for(['', 'xyzzy', '__proto__ constructor', 'the of a '.repeat(400), '('.repeat(3_000), 'ü😀\u0000'])(
    'returns a small part of the schema, whatever the words: %j',
    async (words, { tools }) => {
      const text = await search(tools, words);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(schemaSearchBytes);
      expect(text).toContain('type Query {');
      const sdl = await (await tools.fetch('/schema.graphql')).text();
      expect(text.length).toBeLessThan(sdl.length / 3);
    },
  );

  test.for<[args: Readonly<Record<string, unknown>>]>([
    [{}],
    [{ words: 7 }],
    [{ words: ['a'] }],
    [{ words: 'x'.repeat(argumentTextBytes + 1) }],
  ])('refuses %j', async ([args], { tools }) => {
    expect(errorOf(await callTool(tools, 'search_schema', args))).toMatchObject({
      code: 'BAD_USER_INPUT',
      argument: ['words'],
    });
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
    ['no text', { query: 7 }, { code: 'BAD_USER_INPUT', argument: ['query'] }],
    ['nothing', {}, { code: 'BAD_USER_INPUT', argument: ['query'] }],
    ['no GraphQL', { query: '{ miss' }, { code: 'GRAPHQL_PARSE_FAILED', next: 'Correct the query and call again.' }],
    [
      'an unknown field',
      { query: '{ nope }' },
      { code: 'GRAPHQL_VALIDATION_FAILED', next: 'Correct the query and call again.' },
    ],
    [
      'a number that is no Int',
      { query: '{ missions(first: 1e400) { totalCount } }' },
      { code: 'GRAPHQL_VALIDATION_FAILED' },
    ],
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
    const metadata = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`name ${index}`, 'some value']));
    upstream.script((request) => pageReply([missionRecord({ metadata }), missionRecord({ metadata })], request));
    const answer = await callTool(tools, 'run_query', { query: '{ missions { nodes { metadata } } }' });
    expect(errorOf(answer)).toMatchObject({ code: 'QUERY_TOO_COMPLEX', next: expect.stringContaining('fewer rows') });
  });
});
