import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** What is measured. Label values come from closed sets alone: no path, name or key that a client could choose. */
export interface Metrics {
  countRequest(endpoint: string, status: number, seconds: number): void;
  countUpstreamCall(operation: string, outcome: string, seconds: number): void;
  countError(code: string): void;
  /** One execution of an operation, by its plan (`compiled`) or by graphql-js (`general`). */
  countOperation(way: string): void;
  /** Prometheus text (exposition format 0.0.4) and its media type. */
  print(): Promise<{ readonly text: string; readonly contentType: string }>;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'switchboard_http_request_duration_seconds',
    help: 'Requests of clients by endpoint and HTTP status.',
    labelNames: ['endpoint', 'status'],
    buckets,
    registers,
  });
  const calls = new Histogram({
    name: 'switchboard_upstream_call_duration_seconds',
    help: 'Calls to the upstream by operation and outcome: a status or an error code.',
    labelNames: ['operation', 'outcome'],
    buckets,
    registers,
  });
  const errors = new Counter({
    name: 'switchboard_errors_total',
    help: 'Errors answered to clients by extensions.code.',
    labelNames: ['code'],
    registers,
  });
  const operations = new Counter({
    name: 'switchboard_operations_total',
    help: 'Operations executed, by their plan (compiled) or by graphql-js (general).',
    labelNames: ['way'],
    registers,
  });
  return {
    countRequest: (endpoint, status, seconds) => requests.labels(endpoint, String(status)).observe(seconds),
    countUpstreamCall: (operation, outcome, seconds) => calls.labels(operation, outcome).observe(seconds),
    countError: (code) => errors.labels(code).inc(),
    countOperation: (way) => operations.labels(way).inc(),
    print: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}
