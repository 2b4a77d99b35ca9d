import { cacheExchange, type Exchange } from '@urql/core';
import { describe, expectTypeOf } from 'vitest';
import { directs } from '../support/metrics.ts';
import { expect, test } from '../support/gateway.ts';
import { IpConnectionPageDocument, OverviewDocument } from './generated/documents.ts';
import { october, offices, refusal, refusingCharges } from './upstream.ts';
import { createCacheExchange } from './urql-cache.ts';
import { createClient } from './urql-client.ts';

const caches: readonly [name: string, create: () => Exchange][] = [
  ['its document cache', () => cacheExchange],
  ['graphcache', createCacheExchange],
];

describe.for(caches)('urql with %s', ([, createCache]) => {
  test('queries once for each document with its variables', async ({ gateway, upstream }) => {
    upstream.script(offices(30).answer);
    const client = createClient(gateway, createCache());
    const filter = { connectionName: { eq: 'Office 7' } };
    for (const variables of [{}, { filter }, {}, { filter }]) {
      const { data, error } = await client.query(IpConnectionPageDocument, { first: 20, ...variables });
      expect(error).toBeUndefined();
      expect(data?.ipConnections?.edges).toHaveLength(variables.filter === undefined ? 20 : 1);
    }
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer urql-key'));
    expect(await directs(gateway)).toBe(2);
  });

  test('gives both data and errors of a partial failure', async ({ gateway, upstream }) => {
    upstream.script(refusingCharges);
    const { data, error } = await createClient(gateway, createCache()).query(OverviewDocument, october);
    expect(data).toMatchObject({ chargesSummary: null, ipConnections: { totalCount: 3 } });
    expect(error?.networkError).toBeUndefined();
    expect(error?.graphQLErrors).toMatchObject([refusal]);
  });

  test('types results and variables by the document', async ({ gateway, upstream }) => {
    upstream.script(offices(3).answer);
    const client = createClient(gateway, createCache());
    const { data } = await client.query(IpConnectionPageDocument, { first: 2 });
    const row = data?.ipConnections?.edges[0]?.node;
    expectTypeOf(row?.connectionName).toEqualTypeOf<string | null | undefined>();
    // @ts-expect-error There is no such field.
    expect(row?.conectionName).toBeUndefined();
    // @ts-expect-error Nothing can be sorted by that.
    const { error } = await client.query(IpConnectionPageDocument, { first: 2, orderBy: { field: 'SIZE' } });
    expect(error?.graphQLErrors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
