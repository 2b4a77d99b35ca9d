import { expect, test, type Gateway } from '../../support/gateway.ts';

const chain = (levels: number): string =>
  `{ __schema { types ${'{ ofType '.repeat(levels - 2)}{ name }${' }'.repeat(levels - 2)} } }`;
const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');

interface Case {
  readonly variable: string;
  readonly limit: number;
  readonly name: string;
  /** A document that measures this much. */
  readonly make: (measure: number) => string;
}

const cases: readonly Case[] = [
  {
    variable: 'LIMIT_TOKENS',
    limit: 3_000,
    name: 'size',
    make: (tokens) => `{ ${'__typename '.repeat(tokens - 2)}}`,
  },
  { variable: 'LIMIT_DEPTH', limit: 20, name: 'depth', make: (levels) => chain(levels - 1) },
  {
    variable: 'LIMIT_ALIASES',
    limit: 100,
    name: 'aliases',
    make: (count) => `{ missions { ${times(count, (index) => `a${index}: totalCount`)} } }`,
  },
  {
    variable: 'LIMIT_ROOT_FIELDS',
    limit: 50,
    name: 'root fields',
    make: (count) => `{ ${'__typename '.repeat(count)} }`,
  },
];
const roomy = { LIMIT_TOKENS: '100000', LIMIT_DEPTH: '1000', LIMIT_ALIASES: '10000', LIMIT_ROOT_FIELDS: '10000' };

async function refusal(gateway: Gateway, document: string) {
  const accept = 'application/graphql-response+json';
  const { status, errors } = await gateway.query(document, { key: null, headers: { accept } });
  return { status, code: errors[0]?.extensions.code, message: errors[0]?.message, extensions: errors[0]?.extensions };
}

test.for(cases)(
  '$variable accepts a document within it, and names the excess of another',
  async (limitCase, { startWith }) => {
    const { variable, name, make, limit } = limitCase;
    for (const most of [limit, 10]) {
      const env = most === limit ? { ...roomy, [variable]: '' } : { ...roomy, [variable]: String(most) };
      const gateway = await startWith(env);
      expect((await refusal(gateway, make(most))).code).not.toBe('QUERY_TOO_COMPLEX');
      expect(await refusal(gateway, make(most + 1))).toMatchObject({
        status: 400,
        code: 'QUERY_TOO_COMPLEX',
        message: expect.stringContaining(`the limit for ${name}: ${most + 1} `),
        extensions: { limit: most, actual: most + 1, retryable: false, requestId: expect.any(String) },
      });
    }
  },
);

test('a document beyond a limit has status 200 for application/json, as every well-formed request has', async ({
  gateway,
}) => {
  const { status, data, errors } = await gateway.query(cases[3]?.make(51) ?? '', { key: null });
  expect(status).toBe(200);
  expect(data).toBeUndefined();
  expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 50, actual: 51 } }]);
});

test('document limits count a fragment wherever it is spread, and a repeated field with a selection as an alias', async ({
  startWith,
}) => {
  const gateway = await startWith({ LIMIT_ALIASES: '3', LIMIT_ROOT_FIELDS: '3', LIMIT_TOKENS: '40' });
  const fragment = 'fragment A on Query { a: __typename }';
  expect((await refusal(gateway, `{ ...A ...A ...A } ${fragment}`)).code).toBeUndefined();
  expect(await refusal(gateway, `{ ...A ...A ...A ...A } ${fragment}`)).toMatchObject({
    extensions: { code: 'QUERY_TOO_COMPLEX', limit: 3, actual: 4 },
  });
  const schema = (count: number): string => `{ __schema { ${'types { name } '.repeat(count)} } }`;
  expect((await refusal(gateway, schema(4))).code).toBeUndefined();
  expect(await refusal(gateway, schema(5))).toMatchObject({ extensions: { limit: 3, actual: 4 } });
});

test('document limits count fragments in fragments as depth, however many there are', async ({ gateway }) => {
  const nested = (count: number): string =>
    `{ ...F1 } ${times(count, (index) => `fragment F${index + 1} on Query { ${index + 1 < count ? `...F${index + 2}` : '__typename'} }`)}`;
  expect((await refusal(gateway, nested(20))).code).toBeUndefined();
  expect(await refusal(gateway, nested(21))).toMatchObject({ extensions: { limit: 20, actual: 21 } });
  const bomb = nested(20).replaceAll(/\.\.\.(F\d+)/g, '...$1 ...$1 ...$1 ...$1');
  expect(await refusal(gateway, bomb)).toMatchObject({
    message: expect.stringContaining('size'),
    extensions: { limit: 3000 },
  });
});

test('document limits judge each operation by itself', async ({ startWith }) => {
  const gateway = await startWith({ LIMIT_ALIASES: '2', LIMIT_ROOT_FIELDS: '2' });
  const two = (name: string): string => `query ${name} { a: __typename b: __typename }`;
  const body = { query: `${two('A')} ${two('B')}`, operationName: 'A' };
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(await response.json()).toEqual({ data: { a: 'Query', b: 'Query' } });
});
