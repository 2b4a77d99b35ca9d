import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/upstream-metrics.ts';
import type { ResponseHead } from '../response/wire-response.ts';
import type { Check, Passage } from './checks.ts';

type CallMetrics = Pick<UpstreamMetrics, 'countUpstreamCall'>;

/** Counts and times each call that goes out, by endpoint and outcome. */
export function observe(metrics: CallMetrics): Check {
  return ({ call, caller, sent }) => {
    caller.countCall();
    sent.count++;
    return new ObservedCall(call.endpoint.name, metrics);
  };
}

class ObservedCall implements Passage {
  readonly #operation: string;
  readonly #metrics: CallMetrics;
  readonly #started = performance.now();

  constructor(operation: string, metrics: CallMetrics) {
    this.#operation = operation;
    this.#metrics = metrics;
  }

  answered({ status }: ResponseHead): void {
    this.#count(String(status));
  }

  failed(error: unknown): void {
    this.#count(error instanceof GatewayError ? error.code : 'aborted');
  }

  #count(outcome: string): void {
    this.#metrics.countUpstreamCall(this.#operation, outcome, (performance.now() - this.#started) / 1000);
  }
}
