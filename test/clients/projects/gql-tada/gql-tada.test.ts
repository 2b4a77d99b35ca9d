import { Client, fetchExchange } from '@urql/core';
import { expectTypeOf } from 'vitest';
import { expect, test } from '../gateway.ts';
import { expectOverview, october, refusal, unknownAccountKey } from '../overview.ts';
import { Overview } from './src/overview';

const createClient = (url: string, key: string): Client =>
  new Client({
    url,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${key}` } },
  });

test('gql.tada types and reads a bill and a page of missions', async ({ url }) => {
  const { data = null, error } = await createClient(url, 'sandbox-key').query(Overview, october);
  expect(error).toBeUndefined();
  expectOverview(data ?? { chargesSummary: null, missions: null });
  expectTypeOf(data?.chargesSummary?.total.grandTotal).toEqualTypeOf<string | undefined>();
  expectTypeOf(data?.missions?.edges[0]?.node?.createdAt).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(data?.missions?.edges[0]?.node?.metadata).toEqualTypeOf<unknown>();
});

test('gql.tada gives the code of a field that failed, and the fields that did not', async ({ url }) => {
  const { data, error } = await createClient(url, unknownAccountKey).query(Overview, october);
  expect(data).toMatchObject({ chargesSummary: null, missions: { totalCount: 230 } });
  expect(error?.graphQLErrors).toMatchObject([refusal]);
});
