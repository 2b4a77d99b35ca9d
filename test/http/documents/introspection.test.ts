import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
  type IntrospectionQuery,
} from 'graphql';
import { expect, testOfFile as test } from '../../support/gateway.ts';

const closed = { INTROSPECTION: 'false' };

const readers: readonly (readonly [what: string, query: string])[] = [
  ['the query of tools', getIntrospectionQuery()],
  ['one type', '{ __type(name: "Query") { name } }'],
  ['a fragment', '{ ...A } fragment A on Query { ...B } fragment B on Query { __schema { types { name } } }'],
  ['a field that is skipped', '{ __typename __schema @skip(if: true) { queryType { name } } }'],
  ['the SDL of the subgraph', '{ _service { sdl } }'],
  ['a mistake beside it', '{ nope __schema { nope } }'],
];

test.for(readers)('INTROSPECTION=false refuses %s, by POST and by GET', async ([, query], { startWith, upstream }) => {
  const gateway = await startWith(closed);
  for (const accept of ['application/json', 'application/graphql-response+json', 'multipart/mixed, application/json'])
    for (const answer of [
      await gateway.post({ query }, { accept }),
      // By now the document would be known to the fast path.
      await gateway.post({ query }, { accept }),
      await gateway.fetch(`/graphql?${new URLSearchParams({ query })}`, { headers: { accept } }),
    ]) {
      expect(answer.status).toBe(accept === 'application/graphql-response+json' ? 400 : 200);
      const extensions = { code: 'INTROSPECTION_DISABLED', retryable: false };
      expect(await answer.json()).toEqual({
        errors: [expect.objectContaining({ extensions: expect.objectContaining(extensions) })],
      });
    }
  expect(upstream.requests).toEqual([]);
});

test('INTROSPECTION=false leaves __typename and _entities, which clients and routers need', async ({ startWith }) => {
  const gateway = await startWith(closed);
  const data = await gateway.data('{ __typename a: _entities(representations: []) { __typename } }');
  expect(data).toEqual({ __typename: 'Query', a: [] });
});

test.for<[query: string, variables?: Readonly<Record<string, unknown>>]>([
  ['{ missions(frist: 1) { totalCount } }'],
  ['{ ipConnections(orderBy: { field: CREATED_ATT }) { totalCount } }'],
  ['query ($f: IpConnectionFilter) { ipConnections(filter: $f) { totalCount } }', { f: { fqdm: 'a' } }],
])(
  'INTROSPECTION=false suggests no name of the schema for %s',
  async ([query, variables = {}], { startWith, gateway }) => {
    const suggesting = await gateway.query(query, { variables });
    const answer = await (await startWith(closed)).query(query, { variables });
    expect([suggesting.errors.length, suggesting.text]).toEqual([1, expect.stringMatching(/did you mean/i)]);
    expect([answer.errors.length, answer.text]).toEqual([1, expect.not.stringMatching(/did you mean/i)]);
  },
);

// What federation adds is in the SDL of the subgraph, and means nothing to a client.
const ofFederation = {
  types: /^(?:_[^_]|federation__|link__)/,
  directives: /^(?:key|shareable|tag|cost|listSize|link)$/,
};

test.for(['POST', 'GET'])('introspection tells what the SDL tells, by %s', async (method, { gateway }) => {
  const query = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  const inUrl = `/graphql?${new URLSearchParams({ query })}`;
  const answer = await (method === 'GET' ? gateway.fetch(inUrl) : gateway.post({ query }));
  const { data } = (await answer.json()) as { data: IntrospectionQuery };
  const { __schema: schema } = data;
  const { types, directives, ...rest } = schema;
  const own = <Named extends { readonly name: string }>(all: readonly Named[], federation: RegExp) =>
    all.filter(({ name }) => !federation.test(name));
  const ownTypes = own(types, ofFederation.types).map((type) =>
    type.kind === 'OBJECT' ? { ...type, fields: own(type.fields, ofFederation.types) } : type,
  );
  const ownDirectives = own(directives, ofFederation.directives);
  const told = buildClientSchema({ __schema: { ...rest, types: ownTypes, directives: ownDirectives } });
  const served = await gateway.fetch('/schema.graphql');
  expect(served.headers.get('content-type')).toMatch(/^application\/graphql\b/);
  const sdl = buildSchema(await served.text());
  expect(sdl.getQueryType()?.getFields()['ipConnections']?.description).toMatch(/\w/);
  expect(printSchema(lexicographicSortSchema(told))).toBe(printSchema(lexicographicSortSchema(sdl)));
});
