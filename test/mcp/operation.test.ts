import { join } from 'node:path';
import { mostTools } from '../../src/mcp/tools.ts';
import { folderWriter } from '../support/files.ts';
import { describe, expect, test } from '../support/gateway.ts';
import { ipConnectionRecord, missionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { startProgram } from '../support/process.ts';
import { askTools, callTool, errorOf, textsOf } from '../support/tool-client.ts';

const folderOf = folderWriter();
const described = (text: string): string => `"What it does" ${text}`;

test('a document of MCP_OPERATIONS is a tool, described by itself or its schema', async ({ startWith, upstream }) => {
  upstream.script((request) => pageReply([ipConnectionRecord()], request));
  const folder = folderOf({
    'README.md': 'none',
    'b.graphql': `# Connections of the account,
# sorted.
query ConnectionsByName($order: IpConnectionOrder $filter: IpConnectionFilter $first: Int! = 3 $direction: OrderDirection = ASC) {
  ipConnections(first: $first, filter: $filter, orderBy: $order) { ...Rows }
  other: ipConnections(first: 1, orderBy: { field: CONNECTION_NAME, direction: $direction }) { totalCount }
}
fragment Rows on IpConnectionConnection { nodes { id } }`,
    'a.graphql': `${described('query HTTPNodes2Read($ids: [ID!]!) { nodes(nodeIds: $ids) { ...Id } }')}
${described('query Twin { nodes(nodeIds: "1") { ...Id } }')} fragment Id on Node { nodeId }`,
  });
  const gateway = await startWith({ MCP: 'true', MCP_OPERATIONS: folder });
  const { result } = await askTools(gateway, 'tools/list');
  const [first, twin, second] = result.tools.slice(-3);
  const ids = { type: 'array', items: { type: 'string' }, description: expect.stringContaining('nodeId') };
  expect(first).toMatchObject({ name: 'http_nodes2_read', description: 'What it does' });
  expect(twin).toMatchObject({ name: 'twin', inputSchema: { properties: {} } });
  expect(first.inputSchema).toMatchObject({ properties: { ids }, required: ['ids'] });
  expect(second).toMatchObject({ name: 'connections_by_name', description: 'Connections of the account, sorted.' });
  const object = { type: 'object', additionalProperties: false };
  const orderBy = {
    field: { type: 'string', enum: ['CREATED_AT', 'CONNECTION_NAME', 'ACTIVE'] },
    direction: { type: 'string', enum: ['ASC', 'DESC'] },
  };
  const properties = {
    order: { ...object, properties: orderBy, required: ['field'] },
    filter: object,
    first: { type: 'integer', default: 3, description: expect.stringContaining('How many items') },
    direction: { type: 'string', default: 'ASC' },
  };
  expect(second.inputSchema).toMatchObject({ ...object, properties });
  expect(second.inputSchema.required).toBeUndefined();
  const answer = await callTool(gateway, 'connections_by_name', { order: { field: 'ACTIVE', direction: 'DESC' } });
  expect(JSON.parse(textsOf(answer)[0] ?? '')).toMatchObject({ ipConnections: { nodes: [{}] } });
  expect(upstream.requests.map(({ query }) => query['sort']).sort()).toEqual(['-active', 'connection_name']);
  const wrong = await callTool(gateway, 'connections_by_name', { filter: { connectionName: { contains: 7 } } });
  expect(errorOf(wrong)).toMatchObject({ code: 'BAD_USER_INPUT', argument: ['filter'] });
});

test("an error within a fragment names the tool's argument, and no value of the document", async ({ startWith }) => {
  const rest = 'fragment Rest on Query { b: missions(first: 1, offset: $skip) { totalCount } }';
  const query = `query Fixed($skip: Int) { a: missions(first: -5) { totalCount } ...Rest } ${rest}`;
  const folder = folderOf({ 'a.graphql': described(query) });
  const gateway = await startWith({ MCP: 'true', MCP_OPERATIONS: folder });
  const { errors } = JSON.parse(textsOf(await callTool(gateway, 'fixed', { skip: -1 }))[0] ?? '');
  expect(errors.map(({ argument }: { readonly argument?: unknown }) => argument)).toEqual([undefined, ['skip']]);
});

test('the result of a tool tells at most ten errors, and how many more there are', async ({ startWith }) => {
  const fields = Array.from({ length: 15 }, (_, index) => `f${index}: missions(first: -1) { totalCount }`);
  const folder = folderOf({ 'a.graphql': described(`query Many { ${fields.join(' ')} }`) });
  const gateway = await startWith({ MCP: 'true', MCP_OPERATIONS: folder });
  const body = JSON.parse(textsOf(await callTool(gateway, 'many'))[0] ?? '');
  expect([body.errors.length, body.moreErrors]).toEqual([10, 5]);
});

describe('a document that cannot be a tool', () => {
  const many = Object.fromEntries(
    Array.from({ length: mostTools }, (_, index) => [`x${index}.graphql`, described(`query X${index} { __typename }`)]),
  );
  const twins = { x: described('query aB { __typename }'), y: described('query a_b { __typename }') };
  const faults: readonly (readonly [words: RegExp, text: string | Readonly<Record<string, string>>])[] = [
    [/holds no operation/, {}],
    [/operation x cannot be parsed/, 'query {'],
    [/operation x cannot be served: .*nope/, described('query A { nope }')],
    [/operation x .* no description/, 'query A { __typename }'],
    [/operation x .* no name/, described('query { __typename }')],
    [/operation x: .* a_b/, `${described('query aB { __typename }')} ${described('query a_b { __typename }')}`],
    [/operation x .* subscription/, described('subscription A { webhookDeliveries { id } }')],
    [/operation x .* in pieces/, described('query A { ... @defer { missions { totalCount } } }')],
    [/longer than 64/, described(`query ${'A'.repeat(65)} { __typename }`)],
    [/longer than 2000/, `"${'d'.repeat(2_001)}" query A { __typename }`],
    [/operation x: .* spend/, described('query Spend { __typename }')],
    [/operation x: .* run_query/, described('query run_query { __typename }')],
    [/operation y: there is another tool with the name a_b/, { 'x.graphql': twins.x, 'y.graphql': twins.y }],
    [/there are 1\d\d tools, and 100 are allowed/, many],
  ];

  test.for(faults)('stops the start with one line that names it: %s', async ([words, text], { startWith }) => {
    const folder = folderOf(typeof text === 'string' ? { 'x.graphql': text } : text);
    const message = await startWith({ MCP: 'true', MCP_OPERATIONS: folder }).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(message).toMatch(/^MCP_OPERATIONS cannot be used: [^\n]+$/);
    expect(message).toMatch(words);
  });

  test('stops the program', async () => {
    await using program = startProgram('src/main.cjs', { PORT: '0', MCP_OPERATIONS: 'nowhere' });
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toMatch(/^Switchboard cannot start: MCP_OPERATIONS cannot be used: [^\n]+\.\n$/);
  });
});

test('a manifest holds tools, whose pages may be in fragments', async ({ startWith, upstream }) => {
  upstream.script((request) => pageReply([missionRecord(), missionRecord({ mission_id: 'b' })], request));
  const rows = 'missions(first: 1, after: $after) { totalCount pageInfo { hasNextPage endCursor } }';
  const tool = described(`query Count($after: String) { ...Rows ...Rows } fragment Rows on Query { ${rows} }`);
  const path = join(folderOf({ 'manifest.json': JSON.stringify({ one: tool }) }), 'manifest.json');
  const gateway = await startWith({ MCP: 'true', MCP_OPERATIONS: path });
  const [text, note] = textsOf(await callTool(gateway, 'count'));
  expect(text).toContain('"totalCount":2');
  expect(note?.match(/There are more rows/g)).toHaveLength(1);
});
