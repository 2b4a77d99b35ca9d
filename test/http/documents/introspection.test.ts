import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
  type IntrospectionQuery,
} from 'graphql';
import { afterAll } from 'vitest';
import { expect, testOfFile as test } from '../../support/gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-introspection-'));
afterAll(() => rmSync(folder, { recursive: true }));

const closed = { INTROSPECTION: 'false' };
const code = 'INTROSPECTION_DISABLED';

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
  const body = JSON.stringify({ query });
  const search = new URLSearchParams({ query });
  for (const accept of ['application/json', 'application/graphql-response+json', 'multipart/mixed, application/json']) {
    const headers = { accept, 'content-type': 'application/json', authorization: 'Bearer test-key' };
    const answers = [
      await gateway.fetch('/graphql', { method: 'POST', headers, body }),
      // By now the document would be known to the fast path.
      await gateway.fetch('/graphql', { method: 'POST', headers, body }),
      await gateway.fetch(`/graphql?${search}`, { headers }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(accept === 'application/graphql-response+json' ? 400 : 200);
      const { data, errors } = (await answer.json()) as { data?: unknown; errors: { extensions: object }[] };
      expect(data).toBeUndefined();
      expect(errors).toMatchObject([{ extensions: { code, retryable: false } }]);
    }
  }
  expect(upstream.requests).toEqual([]);
});

test('INTROSPECTION=false leaves __typename and _entities, which clients and routers need', async ({ startWith }) => {
  const gateway = await startWith(closed);
  const { data, errors } = await gateway.query('{ __typename a: _entities(representations: []) { __typename } }');
  expect(errors).toEqual([]);
  expect(data).toEqual({ __typename: 'Query', a: [] });
});

test('INTROSPECTION=false serves no SDL and no picture, to nobody', async ({ startWith }) => {
  const gateway = await startWith(closed);
  for (const path of ['/schema.graphql', '/voyager'])
    for (const accept of ['*/*', 'text/html']) {
      const response = await gateway.fetch(path, { headers: { accept } });
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain('IpConnection');
    }
});

const mistaken: readonly (readonly [query: string, variables?: object])[] = [
  ['{ mision { totalCount } }'],
  ['{ missions(frist: 1) { totalCount } }'],
  ['{ ipConnections(orderBy: { field: CREATED_ATT }) { totalCount } }'],
  ['{ ipConnections(filter: { connectionNam: { eq: "a" } }) { totalCount } }'],
  [
    'query ($f: IpConnectionFilter) { ipConnections(filter: $f) { totalCount } }',
    { f: { connectionNam: { eq: 'a' } } },
  ],
  ['{ __typename @skp(if: true) }'],
];

test.for(mistaken)(
  'INTROSPECTION=false suggests no name of the schema for %s',
  async ([query, variables], { startWith }) => {
    const [open, gateway] = await Promise.all([startWith({}), startWith(closed)]);
    const options = { variables: variables as Readonly<Record<string, unknown>> };
    const suggesting = await open.query(query, options);
    const answer = await gateway.query(query, options);
    expect(suggesting.errors.length).toBeGreaterThan(0);
    expect(answer.errors).toHaveLength(suggesting.errors.length);
    expect(answer.text).not.toMatch(/did you mean/i);
  },
);

test('a trusted document that reads the schema stops the start where INTROSPECTION=false', async ({ startWith }) => {
  const path = join(folder, 'manifest.json');
  writeFileSync(path, JSON.stringify({ known: '{ __typename }', reader: '{ _service { sdl } }' }));
  await expect(startWith({ ...closed, PERSISTED_OPERATIONS: path })).rejects.toThrow(
    /^PERSISTED_OPERATIONS cannot be used: operation reader cannot be served: [^\n]*introspection is off$/,
  );
});

// What federation adds is in the SDL of the subgraph, and means nothing to a client.
const ofFederation = {
  types: /^(?:_[^_]|federation__|link__)/,
  directives: /^(?:key|shareable|tag|cost|listSize|link)$/,
};

test.for(['POST', 'GET'])(
  'introspection tells what the SDL tells, scalars included, by %s',
  async (method, { gateway }) => {
    const query = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const answer = await gateway.fetch(method === 'GET' ? `/graphql?${new URLSearchParams({ query })}` : '/graphql', {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify({ query }) }),
    });
    const { data } = (await answer.json()) as { data: IntrospectionQuery };
    const { __schema: schema } = data;
    const { types, directives, ...rest } = schema;
    const ownTypes = types
      .filter(({ name }) => !ofFederation.types.test(name))
      .map((type) => {
        if (type.kind !== 'OBJECT') return type;
        return { ...type, fields: type.fields.filter(({ name }) => !ofFederation.types.test(name)) };
      });
    const ownDirectives = directives.filter(({ name }) => !ofFederation.directives.test(name));
    const told = buildClientSchema({ __schema: { ...rest, types: ownTypes, directives: ownDirectives } });
    const sdl = buildSchema(await (await gateway.fetch('/schema.graphql')).text());
    expect(printSchema(lexicographicSortSchema(told))).toBe(printSchema(lexicographicSortSchema(sdl)));
  },
);
