import { expect, test } from 'vitest';
import { createSchema } from '../../../src/resources/schema.ts';
import { readTypeDefs } from '../../../src/graphql/schema/type-defs.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { createMetrics, createViolationCounter } from '../../../src/telemetry/metrics.ts';
import { getChargesBreakdown, getChargesBreakdownCsv } from '../../../src/resources/charges/charges-breakdown.ts';
import { getChargesSummary } from '../../../src/resources/charges/charges-summary.ts';
import { ipConnection } from '../../../src/resources/ip-connection.ts';
import { mission } from '../../../src/resources/mission.ts';
import { webhookDelivery } from '../../../src/resources/webhook-delivery.ts';

const hour = 3_600_000;

test('logs one violation of each coordinate and kind an hour, and counts all', async () => {
  const lines: string[] = [];
  const metrics = createMetrics();
  let time = 0;
  const count = createViolationCounter(metrics, createLog('info', { write: (line) => lines.push(line) }), () => time);
  const noticed = { requestId: 'id', operationName: null, trace: null };
  const both = (): void => {
    count({ coordinate: 'IpConnection.tags', kind: 'missing' }, noticed);
    count({ coordinate: 'IpConnection.tags', kind: 'wrong_type' }, noticed);
    count({ coordinate: 'IpConnection.id', kind: 'missing' }, noticed);
  };
  for (const [at, logged] of [
    [0, 3],
    [0, 3],
    [hour - 1, 3],
    [hour, 6],
    [hour + 1, 6],
    [2 * hour - 1, 6],
    [5 * hour, 9],
  ] as const) {
    time = at;
    both();
    expect(lines).toHaveLength(logged);
  }
  const { text } = await metrics.print();
  expect(text).toContain('switchboard_contract_violations_total{coordinate="IpConnection.tags",kind="missing"} 7');
});

test('every endpoint counts its violations at a field of Query', () => {
  const fields = createSchema(readTypeDefs()).getQueryType()?.getFields() ?? {};
  const entities = [ipConnection, mission, webhookDelivery].flatMap(({ list, retrieve }) => [list, retrieve]);
  for (const { coordinate } of [getChargesSummary, getChargesBreakdown, getChargesBreakdownCsv, ...entities])
    expect(Object.keys(fields).map((name) => `Query.${name}`)).toContain(coordinate);
});
