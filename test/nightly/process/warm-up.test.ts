import { expect, test } from 'vitest';
import { valueOf } from '../../support/metrics.ts';
import { refusingUpstream, startGatewayProgram } from '../../support/process.ts';

test('a process spends WARM_UP_MS of processor time before it is ready', async () => {
  const { program, url } = await startGatewayProgram({ UPSTREAM_BASE_URL: refusingUpstream, WARM_UP_MS: '400' });
  await using _ = program;
  const seconds = async () => (await valueOf({ url }, 'process_cpu_seconds_total')) ?? Number.NaN;
  const before = await seconds();
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  // What had been spent when the first figure was read is missing in the difference.
  expect(await seconds()).toBeGreaterThan(before + 0.2);
});
