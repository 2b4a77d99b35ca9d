import { real } from './time.ts';

/** What the world runs of the gateway; loaded once the world's time, chance and wires are in place. */
export async function loadGateway() {
  const { buildAppSchema, startApp } = await import('../../../../src/app.ts');
  const { readConfig } = await import('../../../../src/config.ts');
  const { createLog, LineOutput } = await import('../../../../src/telemetry/log.ts');
  const { createMetrics } = await import('../../../../src/telemetry/metrics.ts');
  await new Promise((resolve) => real.setTimeout(resolve, 50));
  // One schema for all replicas.
  return { startApp, schema: buildAppSchema(), readConfig, createLog, LineOutput, createMetrics };
}

export type Gateway = Awaited<ReturnType<typeof loadGateway>>;
