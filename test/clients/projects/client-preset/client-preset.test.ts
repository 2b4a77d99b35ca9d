import { expectTypeOf } from 'vitest';
import type { Decimal } from '../../../../client/src/index.ts';
import { expect, test } from '../gateway.ts';
import { expectOverview, october, refusal, unknownAccountKey } from '../overview.ts';
import { createExecute, GatewayError } from './src/execute';
import { Overview } from './src/overview';

test('the client preset types and reads a bill and a page of missions', async ({ url }) => {
  const data = await createExecute(url, 'sandbox-key')(Overview, october);
  expectOverview(data);
  expectTypeOf(data.missions.edges[0]?.node.metadata).toEqualTypeOf<Record<string, unknown> | null>();
});

test('the client preset types what is null only with an error as never null, and no other null', async ({ url }) => {
  const { chargesSummary, missions } = await createExecute(url, 'sandbox-key')(Overview, october);
  expectTypeOf(chargesSummary.total.grandTotal).toEqualTypeOf<Decimal>();
  expectTypeOf<null>().not.toExtend<(typeof chargesSummary.summary.lines)[number]>();
  const [edge] = missions.edges;
  expectTypeOf<typeof edge.node.createdAt>().toEqualTypeOf<string | null>();
  expectTypeOf(missions.totalCount).toEqualTypeOf<number | null>();
  expect(chargesSummary.summary.lines).not.toContain(null);
});

test('the client preset gives the code of a field that failed, and the fields that did not', async ({ url }) => {
  const failure = await createExecute(url, unknownAccountKey)(Overview, october).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(GatewayError);
  expect(failure).toMatchObject({
    message: refusal.message,
    errors: [refusal],
    data: { chargesSummary: null, missions: { totalCount: 230 } },
  });
});
