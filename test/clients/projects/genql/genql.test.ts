import { expectTypeOf } from 'vitest';
import { expect, test } from '../gateway.ts';
import { expectOverview, october, refusal, unknownAccountKey } from '../overview.ts';
import { GenqlError } from './src/generated';
import { createReader } from './src/overview';

const { startDate, endDate } = october;

test('genql types and reads a bill and a page of missions', async ({ url }) => {
  const data = await createReader(url, 'sandbox-key')(startDate, endDate);
  expectOverview(data);
  expectTypeOf(data.chargesSummary?.total.grandTotal).toEqualTypeOf<string | undefined>();
  expectTypeOf(data.missions?.edges[0]?.node?.createdAt).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(data.missions?.edges[0]?.node?.metadata).toEqualTypeOf<unknown>();
});

test('genql gives the code of a field that failed, and the fields that did not', async ({ url }) => {
  const failure = await createReader(url, unknownAccountKey)(startDate, endDate).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(GenqlError);
  expect(failure).toMatchObject({ errors: [refusal], data: { chargesSummary: null, missions: { totalCount: 230 } } });
});
