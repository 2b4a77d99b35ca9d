import { buildSchema, print, type ConstDirectiveNode, type GraphQLObjectType } from 'graphql';
import { notesSdl } from './notes-subgraph.ts';
import { composeSupergraph, expect, test } from './supergraph.ts';

function compose(sdl: string, other: string): string {
  return composeSupergraph([
    { name: 'switchboard', sdl, url: 'http://switchboard.invalid/graphql' },
    { name: 'notes', sdl: other, url: 'http://notes.invalid/graphql' },
  ]);
}

function objectIn(supergraph: string, name: string): GraphQLObjectType {
  return buildSchema(supergraph, { assumeValidSDL: true }).getType(name) as GraphQLObjectType;
}

interface Described {
  readonly astNode?: { readonly directives?: readonly ConstDirectiveNode[] | undefined } | null | undefined;
}

function directivesOf(described: Described | undefined, name: string): readonly string[] {
  const texts = (described?.astNode?.directives ?? []).map((directive) => print(directive));
  return texts.filter((text) => text.startsWith(`@${name}(`)).toSorted();
}

test('composes with a subgraph that has its own PageInfo, Node and Query.node', ({ sdl }) => {
  const supergraph = compose(sdl, notesSdl);
  const node = objectIn(supergraph, 'Query').getFields()['node'];
  expect(node?.args.map(({ name, type }) => `${name}: ${type.toString()}`)).toEqual(['id: ID!']);
  expect(directivesOf(node, 'join__field')).toEqual(['@join__field(graph: NOTES)']);
  expect(directivesOf(objectIn(supergraph, 'Node'), 'join__type')).toEqual(['@join__type(graph: NOTES)']);
  expect(directivesOf(objectIn(supergraph, 'PageInfo'), 'join__type')).toEqual([
    '@join__type(graph: NOTES)',
    '@join__type(graph: SWITCHBOARD)',
  ]);
});

test('can be entered by key from both sides, and each side has its fields', ({ sdl }) => {
  const connection = objectIn(compose(sdl, notesSdl), 'IpConnection');
  expect(directivesOf(connection, 'join__type')).toEqual([
    '@join__type(graph: NOTES, key: "id")',
    '@join__type(graph: SWITCHBOARD, key: "id")',
  ]);
  const { notes, connectionName } = connection.getFields();
  expect(directivesOf(notes, 'join__field')).toEqual(['@join__field(graph: NOTES)']);
  expect(directivesOf(connectionName, 'join__field')).toEqual(['@join__field(graph: SWITCHBOARD)']);
});

test.for([
  'type IpConnection @key(fields: "id") { id: ID notes: [Note!] }',
  'type IpConnection @key(fields: "id", resolvable: false) { id: ID! }',
  'extend type IpConnection @key(fields: "id") { id: ID! @external notes: [Note!] }',
])('composes with a subgraph that refers to a connection by %s', (stub, { sdl }) => {
  const other = notesSdl
    .replace(/type IpConnection [^}]+\}/, stub)
    .replace('["@key", "@shareable"]', '["@key", "@shareable", "@external"]');
  const id = objectIn(compose(sdl, other), 'IpConnection').getFields()['id'];
  expect(id?.type.toString()).toBe('ID');
});

test('hands tags, costs and list sizes on to the supergraph', ({ sdl }) => {
  const supergraph = compose(sdl, notesSdl);
  const { ipConnections, chargesSummary } = objectIn(supergraph, 'Query').getFields();
  expect(directivesOf(chargesSummary, 'tag')).toEqual(['@tag(name: "billing")']);
  expect(directivesOf(chargesSummary, 'cost')).toEqual(['@cost(weight: 10)']);
  const [listSize = ''] = directivesOf(ipConnections, 'listSize');
  for (const part of [
    'slicingArguments: ["first", "last"]',
    'sizedFields: ["edges", "nodes"]',
    'assumedSize: 20',
    'requireOneSlicingArgument: false',
  ])
    expect(listSize).toContain(part);
  const { ipAuthenticationToken: token } = objectIn(supergraph, 'IpConnectionOutbound').getFields();
  expect(directivesOf(token, 'tag')).toEqual(['@tag(name: "secret")']);
});
