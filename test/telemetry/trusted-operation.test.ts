import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createMetrics, trustedOperationNames } from '../../src/telemetry/metrics.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { samplesOf, scrape } from '../support/metrics.ts';
import { pageReply, refusal } from '../support/scripted-upstream.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-trusted-'));
afterAll(() => rmSync(folder, { recursive: true }));
const named = 'query Missions { missions { totalCount } }';
writeFileSync(join(folder, 'by-file.graphql'), named);
writeFileSync(join(folder, 'nameless.graphql'), '{ __typename }');

const count = 'switchboard_trusted_operation_duration_seconds_count';

async function ask(gateway: Gateway, id: string): Promise<void> {
  await gateway.fetch(`/graphql?id=${id}`, { headers: { authorization: 'Bearer test-key' } });
}

async function countsOf(gateway: Gateway) {
  const samples = samplesOf(await scrape(gateway)).filter(({ name }) => name === count);
  return Object.fromEntries(samples.map(({ labels, value }) => [`${labels['name']} ${labels['outcome']}`, value]));
}

test('the metrics have the duration and the errors of trusted operations, and of no other operation', async ({
  startWith,
  upstream,
}) => {
  upstream.script((request) => pageReply([], request));
  const gateway = await startWith({ PERSISTED_OPERATIONS: folder });
  for (const id of ['by-file', 'by-file', 'nameless', 'none']) await ask(gateway, id);
  for (let time = 0; time < 3; time++) await gateway.query(named);
  await gateway.query('query Chosen { __typename }');
  upstream.script(() => refusal(403, '10010', 'Forbidden'));
  await ask(gateway, 'by-file');
  await expect.poll(() => countsOf(gateway)).toEqual({ 'Missions ok': 2, 'nameless ok': 1, 'Missions error': 1 });
});

test('the metrics count further names of trusted operations as others', async () => {
  const metrics = createMetrics();
  for (let name = 0; name < trustedOperationNames + 5; name++) metrics.countTrustedOperation(`name-${name}`, false, 1);
  metrics.countTrustedOperation('name-0', false, 1);
  const samples = samplesOf((await metrics.print()).text).filter(({ name }) => name === count);
  expect(samples).toHaveLength(trustedOperationNames + 1);
  expect(samples.filter(({ value }) => value > 1)).toMatchObject([
    { labels: { name: 'name-0' }, value: 2 },
    { labels: { name: 'other' }, value: 5 },
  ]);
});
