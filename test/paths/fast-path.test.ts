import type { GraphqlRule } from '../../src/http/operation-run.ts';
import { expect, test } from '../support/gateway.ts';
import { ask } from '../support/http.ts';
import { directs } from '../support/metrics.ts';

const headers = { 'content-type': 'application/json' };
const typename = JSON.stringify({ query: '{ __typename }' });

test('a query takes the fast path', async ({ gateway }) => {
  const post = (extensions: unknown) => ({ headers, body: JSON.stringify({ query: '{ __typename }', extensions }) });
  const inUrl = { method: 'GET', path: '/graphql?query={__typename}&utm_source=x' };
  for (const [request, taken, status] of [
    [post(undefined), 1, 200],
    [post(null), 1, 200],
    [post({ clientLibrary: { name: '@apollo/client', version: '4.3.8' } }), 1, 200],
    [post({ persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } }), 1, 200],
    [post([]), 1, 400],
    [{ headers, body: typename, isChunked: true }, 1, 200],
    [inUrl, 1, 200],
    [{ ...inUrl, method: 'HEAD' }, 1, 200],
    ...Array.from({ length: 120 }, (_, index) => {
      const accept = `application/json;q=0.${100 + index}`;
      return [{ headers: { ...headers, accept }, body: typename }, 1, 200] as const;
    }),
  ] as const) {
    const before = await directs(gateway);
    const answer = await ask(gateway.url, request);
    expect([request, answer.status, (await directs(gateway)) - before]).toEqual([request, status, taken]);
  }
});

test.for(['prepare', 'checkDocument'] as const)(
  'a request whose rules fail at %s is counted where it ran',
  async (name, { startWith }) => {
    let prepared = 0;
    const failing: GraphqlRule = {
      [name]() {
        prepared++;
        throw new Error('a fault');
      },
    };
    const gateway = await startWith({}, { changeRules: (rules) => [...rules, failing] });
    for (let index = 0; index < 3; index++) {
      const { errors } = await gateway.query('{ __typename }');
      expect(errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
    }
    expect([prepared, await directs(gateway)]).toEqual([3, 3]);
  },
);
