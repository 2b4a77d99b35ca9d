import { buildSubgraphSchema } from '@apollo/subgraph';
import { diff } from '@graphql-inspector/core';
import { buildClientSchema, buildSchema, getIntrospectionQuery, isObjectType, stripIgnoredCharacters } from 'graphql';
import { describe } from 'vitest';
import { readTypeDefs } from '../../.ci/type-defs.ts';
import { expect, test } from './supergraph.ts';

describe('the federated SDL', () => {
  test('is the client schema without Node, its two fields and directives of clients', async ({ gateway, sdl }) => {
    const client = buildSchema(await (await gateway.fetch('/schema.graphql')).text());
    const changes = await diff(client, buildSchema(sdl, { assumeValidSDL: true }));
    const ofTypes = changes.filter(({ type }) => !type.startsWith('DIRECTIVE_USAGE'));
    expect(ofTypes.map(({ message }) => message).sort()).toEqual([
      "'IpConnection' object type no longer implements 'Node' interface",
      "'Mission' object type no longer implements 'Node' interface",
      "'WebhookDelivery' object type no longer implements 'Node' interface",
      "Directive 'defer' was removed",
      "Directive 'semanticNonNull' was removed",
      "Field 'node' was removed from object type 'Query'",
      "Field 'nodes' was removed from object type 'Query'",
      "Type 'Node' was removed",
    ]);
  });

  test('names each entity by its id, and shares its value types', ({ sdl }) => {
    const keys = [...sdl.matchAll(/^type (\w+) @key\(fields: "id"\) \{/gm)].map(([, name]) => name);
    expect(keys).toEqual(['IpConnection', 'Mission', 'WebhookDelivery']);
    const shared = [...sdl.matchAll(/^type (\w+) @shareable \{/gm)].map(([, name]) => name);
    expect(shared).toEqual(['PageInfo', 'HttpHeader']);
  });

  test('has the size of every list that takes first', ({ sdl }) => {
    const types = Object.values(buildSchema(sdl, { assumeValidSDL: true }).getTypeMap()).filter(isObjectType);
    const lists = types
      .flatMap((type) => Object.values(type.getFields()))
      .filter(({ args }) => args.some(({ name }) => name === 'first'));
    expect(lists.map(({ name }) => name)).toContain('ipConnections');
    for (const { name, astNode } of lists)
      expect([name, ...(astNode?.directives ?? []).map((directive) => directive.name.value)]).toContain('listSize');
  });
});

// The requirements of the public suite apollo-federation-subgraph-compatibility.
describe('subgraph compatibility', () => {
  test('_service: returns the SDL, without a key and without an upstream call', async ({ gateway, upstream }) => {
    const { status, data, errors } = await gateway.query('query { _service { sdl } }', { key: null });
    expect({ status, errors }).toEqual({ status: 200, errors: [] });
    expect(data).toEqual({ _service: { sdl: expect.stringContaining('type Query') } });
    expect(upstream.requests).toEqual([]);
  });

  test("introspection: defines what Apollo's own library does, of what the schema imports", async ({ gateway }) => {
    const { data } = await gateway.query(getIntrospectionQuery({ directiveIsRepeatable: true }), { key: null });
    const [served, expected] = [buildClientSchema(data), buildSubgraphSchema(readTypeDefs())];
    const names = [/^link__Purpose/, /^_/, /^Query\._/, /^@(?:key|shareable|tag|cost|listSize|link)$/];
    const changes = (await diff(expected, served)).map(({ type, path = '' }) => `${type} ${path}`);
    const ofFederation = changes.filter((change) => names.some((name) => name.test(change.split(' ')[1] ?? '')));
    // The library leaves the SDL nullable, against its specification.
    expect(ofFederation.filter((change) => !change.includes('DESCRIPTION'))).toEqual([
      'FIELD_TYPE_CHANGED _Service.sdl',
    ]);
  });

  test('@link: links the federation specification once, and imports what it has', ({ sdl }) => {
    const links = [...stripIgnoredCharacters(sdl).matchAll(/@link\(url:"([^"]+)"\s?import:\[([^\]]+)\]\)/g)];
    expect(links.map(([, url]) => url)).toEqual(['https://specs.apollo.dev/federation/v2.9']);
    const imports = links[0]?.[2]?.match(/@\w+/g);
    expect(imports).toEqual(['@key', '@shareable', '@tag', '@cost', '@listSize']);
  });

  test('@tag: keeps its own name, and marks secrets and bills', ({ sdl }) => {
    expect(sdl).not.toContain('@federation__tag');
    expect(new Set(sdl.match(/@tag\([^)]*\)/g))).toEqual(new Set(['@tag(name: "billing")', '@tag(name: "secret")']));
  });
});
