import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/upstream-metrics.ts';
import type { Stage } from './stage.ts';

/** Counts and times each call that goes out, by endpoint and outcome. */
export function observe(metrics: Pick<UpstreamMetrics, 'countUpstreamCall'>): Stage {
  return (next) => async (request) => {
    const { call, caller } = request;
    const started = performance.now();
    const count = (outcome: string): void =>
      metrics.countUpstreamCall(call.endpoint.name, outcome, (performance.now() - started) / 1000);
    caller.countCall();
    request.sent.count++;
    try {
      const response = await next(request);
      count(String(response.status));
      return response;
    } catch (error) {
      count(error instanceof GatewayError ? error.code : 'aborted');
      throw error;
    }
  };
}
