import { expect, test as base, type Gateway } from '../../support/gateway.ts';
import { startCollector, type Collector, type ExportedSpan } from './collector.ts';

interface Fixtures {
  readonly collector: Collector;
  /** A gateway that exports to the collector after a moment. */
  readonly traced: (env?: Readonly<Record<string, string>>) => Promise<Gateway>;
}

/** Vitest's `test` with a collector of traces, and gateways that export to it. */
export const test = base.extend<Fixtures>({
  collector: async ({}, use) => {
    const collector = await startCollector();
    await use(collector);
    await collector.close();
  },
  traced: ({ collector, startWith }, use) =>
    use((env = {}) => startWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10', ...env })),
});

/** The spans so far, once there are so many requests among them. */
export async function spansOf({ spans }: Collector, requests = 1): Promise<readonly ExportedSpan[]> {
  await expect.poll(() => spans.filter(({ kind }) => kind === 2).length).toBe(requests);
  return spans;
}

/** The one span with this name. */
export function spanNamed(spans: readonly ExportedSpan[], name: string): ExportedSpan {
  const [span, ...others] = spans.filter((each) => each.name === name);
  if (span === undefined || others.length > 0)
    throw new Error(
      `There are ${others.length + Number(span !== undefined)} spans named ${name}: ${spans.map((each) => each.name).join(', ')}.`,
    );
  return span;
}

export { expect } from '../../support/gateway.ts';
