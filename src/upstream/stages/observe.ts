import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/upstream-metrics.ts';
import type { ResponseHead } from '../response/wire-response.ts';
import type { Check, Passage, Stage } from './stage.ts';

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

/**
 * Continues the trace of the first caller in each attempt, and gives the attempt a span by the conventions for HTTP clients. The
 * URL in it has no identifier and no query string.
 */
export function traceAttempts(baseUrl: string): Stage {
  const { hostname, port, protocol } = new URL(baseUrl);
  const server = {
    'http.request.method': 'GET',
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  return (next) => (request, receiver) => {
    const { call, caller, headers, sent } = request;
    const parent = caller.span;
    if (parent === undefined) return next(request, receiver);
    if (!parent.isRecorded) return next({ ...request, headers: { ...headers, ...parent.headers } }, receiver);
    const { path } = call.endpoint;
    const span = parent.begin(`GET ${path}`, 'client', {
      ...server,
      'url.template': path,
      'url.full': baseUrl + path.replace('{id}', 'REDACTED'),
      'http.request.resend_count': sent.count > 0 ? sent.count : undefined,
    });
    return next(
      { ...request, headers: { ...headers, ...span.headers } },
      {
        answered(response) {
          const { status } = response;
          span.end({ 'http.response.status_code': status }, status >= 400 ? String(status) : null);
          receiver.answered(response);
        },
        failed(error) {
          span.end({}, error instanceof GatewayError ? error.code : 'aborted');
          receiver.failed(error);
        },
      },
    );
  };
}
