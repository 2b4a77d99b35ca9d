import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/upstream-metrics.ts';
import type { ResponseHead } from '../response/wire-response.ts';
import type { Check, Passage } from './checks.ts';

type CallMetrics = Pick<UpstreamMetrics, 'countUpstreamCall'>;

/** Counts and times each call that goes out, by endpoint and outcome. */
export function observe(metrics: CallMetrics): Check {
  return ({ call, caller, sent }, now) => {
    caller.countCall();
    sent.count++;
    sent.at = now;
    return new ObservedCall(call.endpoint.name, now, metrics);
  };
}

class ObservedCall implements Passage {
  readonly #operation: string;
  readonly #metrics: CallMetrics;
  readonly #started: number;

  constructor(operation: string, started: number, metrics: CallMetrics) {
    this.#operation = operation;
    this.#started = started;
    this.#metrics = metrics;
  }

  answered({ status }: ResponseHead, now: number): void {
    this.#count(String(status), now);
  }

  failed(error: unknown, now: number): void {
    this.#count(error instanceof GatewayError ? error.code : 'aborted', now);
  }

  #count(outcome: string, now: number): void {
    this.#metrics.countUpstreamCall(this.#operation, outcome, (now - this.#started) / 1000);
  }
}
