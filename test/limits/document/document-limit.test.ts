import { expect, test, type Gateway } from '../../support/gateway.ts';

const chain = (levels: number): string =>
  `{ __schema { types ${'{ ofType '.repeat(levels - 2)}{ name }${' }'.repeat(levels - 2)} } }`;
const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');

/** Each limit: its variable, its default, its name, and a document that measures so much. */
const cases: readonly (readonly [string, number, string, make: (measure: number) => string])[] = [
  ['LIMIT_TOKENS', 3_000, 'size', (tokens) => `{ ${'__typename '.repeat(tokens - 2)}}`],
  ['LIMIT_DEPTH', 20, 'depth', (levels) => chain(levels - 1)],
  ['LIMIT_ALIASES', 100, 'aliases', (count) => `{ missions { ${times(count, (at) => `a${at}: totalCount`)} } }`],
  ['LIMIT_ROOT_FIELDS', 50, 'root fields', (count) => `{ ${'__typename '.repeat(count)} }`],
];
const roomy = { LIMIT_TOKENS: '100000', LIMIT_DEPTH: '1000', LIMIT_ALIASES: '10000', LIMIT_ROOT_FIELDS: '10000' };

async function refusal(gateway: Gateway, document: string, accept = 'application/graphql-response+json') {
  const { status, errors } = await gateway.query(document, { key: null, headers: { accept } });
  return { status, message: errors[0]?.message, ...errors[0]?.extensions };
}

test.for(cases)('%s, which is %i, names the excess', async ([variable, limit, name, make], { startWith }) => {
  for (const most of [limit, 10]) {
    const gateway = await startWith({ ...roomy, [variable]: most === limit ? '' : String(most) });
    expect((await refusal(gateway, make(most))).code).not.toBe('QUERY_TOO_COMPLEX');
    const beyond = {
      code: 'QUERY_TOO_COMPLEX',
      message: expect.stringContaining(`the limit for ${name}: ${most + 1} `),
      limit: most,
      actual: most + 1,
      retryable: false,
      requestId: expect.any(String),
    };
    expect(await refusal(gateway, make(most + 1))).toEqual({ status: 400, ...beyond });
    expect(await refusal(gateway, make(most + 1), 'application/json')).toEqual({ status: 200, ...beyond });
  }
});
