import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/upstream-metrics.ts';
import type { Check } from './checks.ts';

/** Counts and times each call that goes out, by endpoint and outcome. */
export function observe(metrics: Pick<UpstreamMetrics, 'countUpstreamCall'>): Check {
  return ({ call, caller, sent }) => {
    const started = performance.now();
    const count = (outcome: string): void =>
      metrics.countUpstreamCall(call.endpoint.name, outcome, (performance.now() - started) / 1000);
    caller.countCall();
    sent.count++;
    return {
      answered: ({ status }) => count(String(status)),
      failed: (error) => count(error instanceof GatewayError ? error.code : 'aborted'),
    };
  };
}
