import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { CountSpans, TracingOptions } from './options.ts';

/** Creates the exporter to the collector. An export ends in bounded time and memory, whatever the collector does. */
export function createExporter(options: TracingOptions, countSpans: CountSpans): SpanExporter {
  const { url, protocol, headers, timeoutMs, queueSize, batchSize } = options;
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const exporter: SpanExporter = new Exporter({
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    // A stop exports all that wait, side by side.
    concurrencyLimit: Math.ceil(queueSize / batchSize) + 1,
    httpAgentOptions: (urlProtocol) =>
      shortLived(urlProtocol === 'https:' ? new HttpsAgent() : new HttpAgent(), timeoutMs),
  });
  return {
    export: (spans, report) =>
      exporter.export(spans, (result) => {
        countSpans(result.code === ExportResultCode.SUCCESS ? 'exported' : 'failed', spans.length);
        report(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/**
 * An agent whose connections end after so many milliseconds. The exporter's own time-out begins anew with each byte, so that a
 * collector which sends one now and then would hold it up for ever.
 */
function shortLived<Agent extends HttpAgent>(agent: Agent, lifetimeMs: number): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...given) => {
    const socket = connect(...given);
    if (socket != null) endAfter(socket, lifetimeMs);
    return socket;
  };
  return agent;
}

function endAfter(socket: Duplex, lifetimeMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lifetimeMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
