import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT as rootContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OtelSpan,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator, ExportResultCode } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { withTimeout } from '../cancellation.ts';
import { version } from './log.ts';
import type { Attributes, Span, Tracing, CountSpan, TracingOptions } from './tracing.ts';

/** Characters of one text in a span. Names of operations are cut before. */
const spanText = 256;

/** Milliseconds that a stop waits for the last spans to be exported. */
export const lastTracesMs = 1_000;

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;
const propagator = new W3CTraceContextPropagator();

/** Creates the tracing of the process by OpenTelemetry's own parts. */
export function createTracing(options: TracingOptions, countSpan: CountSpan): Tracing {
  const { timeoutMs, delayMs, queueSize, batchSize } = options;
  const own = resourceFromAttributes({ 'service.name': 'switchboard', 'service.version': version });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(options),
    spanLimits: { attributeValueLengthLimit: spanText },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: createExporter(options, countSpan),
        maxQueueSize: queueSize,
        maxExportBatchSize: batchSize,
        scheduledDelayMillis: delayMs,
        // The exporter tries again within its own time; this is for one that never reports.
        exportTimeoutMillis: 3 * timeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer('switchboard', version);
  return {
    beginRequest(method, headers) {
      const parent = propagator.extract(rootContext, headers, defaultTextMapGetter);
      return new TracedSpan(tracer, tracer.startSpan(method, { kind: SpanKind.SERVER }, parent), parent);
    },
    // The metrics count an export that fails; here nobody is told.
    close: () => withTimeout(provider.shutdown(), lastTracesMs).catch(() => {}),
  };
}

function samplerOf({ sampler, ratio }: TracingOptions): Sampler {
  // Always and never are ratios as well.
  const root = new TraceIdRatioBasedSampler(sampler.endsWith('ratio') ? ratio : Number(sampler.endsWith('always_on')));
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

class TracedSpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly isRecorded: boolean;
  readonly #tracer: Tracer;
  readonly #span: OtelSpan;
  readonly #context: Context;
  #lastWork: (() => void)[] = [];

  constructor(tracer: Tracer, span: OtelSpan, parent: Context) {
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
    this.isRecorded = span.isRecording();
    this.#tracer = tracer;
    this.#span = span;
    this.#context = trace.setSpan(parent, span);
  }

  get headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    propagator.inject(this.#context, headers, defaultTextMapSetter);
    if (headers['tracestate'] === '') delete headers['tracestate'];
    return headers;
  }

  begin(name: string, kind: keyof typeof kinds, attributes: Attributes): Span {
    const span = this.#tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes } }, this.#context);
    return new TracedSpan(this.#tracer, span, this.#context);
  }

  end(attributes: Attributes, error: string | null, at?: number): void {
    const lastWork = this.#lastWork;
    this.#lastWork = [];
    for (const run of lastWork) run();
    this.#span.setAttributes({ ...attributes });
    if (error !== null) this.#span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end(at);
  }

  beforeEnd(run: () => void): void {
    if (this.#span.isRecording()) this.#lastWork.push(run);
    else run();
  }

  get detached(): Span {
    if (!this.isRecorded) return this;
    const links = [{ context: this.#span.spanContext() }];
    const begin: Span['begin'] = (name, kind, attributes) => {
      const options = { kind: kinds[kind], attributes: { ...attributes }, links };
      return new TracedSpan(this.#tracer, this.#tracer.startSpan(name, options, rootContext), rootContext);
    };
    return Object.assign(Object.create(this) as Span, { begin, beforeEnd: (run: () => void) => run() });
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }
}

/** Creates the exporter to the collector. An export ends in bounded time and memory, whatever the collector does. */
function createExporter(options: TracingOptions, countSpan: CountSpan): SpanExporter {
  const { protocol, timeoutMs, queueSize, batchSize } = options;
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const exporter: SpanExporter = new Exporter({
    timeoutMillis: timeoutMs,
    // A stop exports all that wait, side by side.
    concurrencyLimit: Math.ceil(queueSize / batchSize) + 1,
    httpAgentOptions: (urlProtocol) =>
      shortLived(urlProtocol === 'https:' ? new HttpsAgent() : new HttpAgent(), timeoutMs),
  });
  return {
    export: (spans, report) =>
      exporter.export(spans, (result) => {
        const outcome = result.code === ExportResultCode.SUCCESS ? 'exported' : 'failed';
        spans.forEach(() => countSpan(outcome));
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
    const timer = setTimeout(() => socket?.destroy(), lifetimeMs).unref();
    socket?.once('close', () => clearTimeout(timer));
    return socket;
  };
  return agent;
}
