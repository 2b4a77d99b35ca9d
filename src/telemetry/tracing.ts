import {
  defaultTextMapSetter,
  ROOT_CONTEXT as rootContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
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
import type { TracingOptions } from '../config.ts';
import { version, type RequestLine, type TraceIds } from './log.ts';

// Loaded only where traces are collected: all others know its types.

/** Characters of one text in a span. Names of operations are cut before. */
const spanText = 256;

/** Milliseconds that a stop waits for the last spans to be exported. */
export const lastTracesMs = 1_000;

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;
const propagator = new W3CTraceContextPropagator();

/** Headers by which a client continues its own trace (W3C Trace Context), as they came. */
type TraceHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Begins traces, and exports their spans. */
export type Tracing = ReturnType<typeof createTracing>;

/** Creates the tracing of the process by OpenTelemetry's own parts. `countSpan` counts what the collector has taken, or not. */
export function createTracing(options: TracingOptions, countSpan: (outcome: 'exported' | 'failed') => void) {
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
    /** Begins the spans of a request, in the trace of its client where headers name one, which go on if they are sane. */
    beginRequest(method: string, headers: TraceHeaders, isSane: (header: string) => boolean): RequestTrace {
      const get = (carrier: TraceHeaders, name: string): string | undefined => {
        const header = carrier[name];
        return typeof header === 'string' && isSane(header) ? header : undefined;
      };
      const begin = (carrier: TraceHeaders): Span => {
        const parent = propagator.extract(rootContext, carrier, { get, keys: Object.keys });
        return new Span(tracer, tracer.startSpan(method, { kind: SpanKind.SERVER }, parent), parent);
      };
      return new RequestTrace(begin, headers);
    },
    /** Exports what is left, and waits for that for `lastTracesMs` at most. The metrics count an export that fails. */
    close: () => withTimeout(provider.shutdown(), lastTracesMs).catch(() => {}),
  };
}

function samplerOf({ sampler, ratio }: TracingOptions): Sampler {
  // Always and never are ratios as well.
  const root = new TraceIdRatioBasedSampler(sampler.endsWith('ratio') ? ratio : Number(sampler.endsWith('always_on')));
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** One piece of work within a trace. It ends once; what comes later is ignored. */
export class Span {
  /** False where the trace is not sampled: then nothing of it is exported, and only `headers` matter. */
  readonly isRecorded: boolean;
  readonly #tracer: Tracer;
  readonly #span: OtelSpan;
  readonly #context: Context;
  readonly #isDetached: boolean;

  constructor(tracer: Tracer, span: OtelSpan, parent: Context, isDetached = false) {
    this.isRecorded = span.isRecording();
    this.#tracer = tracer;
    this.#span = span;
    this.#context = trace.setSpan(parent, span);
    this.#isDetached = isDetached;
  }

  /** Names the span in the lines of the log. */
  get ids(): TraceIds {
    const { traceId, spanId } = this.#span.spanContext();
    return { traceId, spanId };
  }

  /** The headers by which a call continues the trace. */
  get headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    propagator.inject(this.#context, headers, defaultTextMapSetter);
    if (headers['tracestate'] === '') delete headers['tracestate'];
    return headers;
  }

  /** For work that goes on when this has ended: its pieces begin traces of their own, which link to this span. */
  get detached(): Span {
    return this.isRecorded ? new Span(this.#tracer, this.#span, rootContext, true) : this;
  }

  /**
   * Begins a piece of this work: within the process, or by a call of another one (`client`). Names of attributes are those of
   * OpenTelemetry's semantic conventions, or ours.
   */
  begin(name: string, kind: keyof typeof kinds, attributes: Attributes): Span {
    const parent = this.#isDetached ? rootContext : this.#context;
    const links = this.#isDetached ? [{ context: this.#span.spanContext() }] : [];
    const span = this.#tracer.startSpan(name, { kind: kinds[kind], attributes, links }, parent);
    return new Span(this.#tracer, span, parent);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  /** Ends the span. `error` is a code or a status, never a text, and null where nothing failed. */
  end(attributes: Attributes, error: string | null): void {
    this.#span.setAttributes(attributes);
    if (error !== null) this.#span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }
}

/** Codes of errors in one span: there are some ten in all. */
const codesOfSpan = 10;

// The methods that have names of their own in the conventions for HTTP. Node takes further ones, of which it has a list.
const methods: ReadonlySet<string> = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '));

/** The spans of one request: its own, that of its GraphQL operation, and that of the event which its stream sends now. */
export class RequestTrace {
  readonly #begin: (parent: TraceHeaders) => Span;
  #request: Span;
  readonly #codes = new Set<string>();
  #operationType = '';
  #operation: Span | null = null;
  #event: Span | null = null;

  /** `begin` begins the span of the request, in the trace of its client where there is one. */
  constructor(begin: (parent: TraceHeaders) => Span, parent: TraceHeaders) {
    this.#begin = begin;
    this.#request = begin(parent);
  }

  /** Continues a trace that the body of the request names, before any work has begun: what was begun is never exported. */
  continue(parent: TraceHeaders): void {
    this.#request = this.#begin(parent);
  }

  get isRecorded(): boolean {
    return this.#request.isRecorded;
  }

  /** The span that upstream calls belong to now. */
  get current(): Span {
    return this.#event ?? this.#operation ?? this.#request;
  }

  /** Names the span of the request in the lines of the log. */
  get ids(): TraceIds {
    return this.#request.ids;
  }

  /** Begins the span of the operation, whose name is an attribute: clients make names up. It holds no key; null stands for none. */
  beginOperation(type: string, name: string | null): void {
    if (!this.isRecorded) return;
    if (this.#operation !== null) this.finish();
    this.#operationType = type;
    this.#operation = this.#request.begin(type, 'internal', {
      'graphql.operation.type': type,
      'graphql.operation.name': name ?? undefined,
    });
  }

  /** Begins the span of one event of a stream. It is exported when it ends, while the stream goes on. */
  beginEvent(): void {
    if (this.#event !== null) this.finish();
    this.#event = this.#operation?.begin(`${this.#operationType} event`, 'internal', {}) ?? null;
  }

  /** Notes the codes of errors in the response of an operation, or in one event of its stream. */
  noteErrors(codes: readonly string[]): void {
    for (const code of codes.slice(0, codesOfSpan)) if (this.#codes.size < codesOfSpan) this.#codes.add(code);
  }

  /** Ends the span of the event, or else of the operation, with the errors since the last one. */
  finish(): void {
    const codes = [...this.#codes];
    this.#codes.clear();
    (this.#event ?? this.#operation)?.end(errorCodesOf(codes), codes[0] ?? null);
    if (this.#event === null) this.#operation = null;
    this.#event = null;
  }

  /** Ends all spans of the request. Its own has the errors of a request that began no operation. */
  end(line: RequestLine): void {
    if (!this.isRecorded) return;
    const { method = '', endpoint, status, errorCodes = [] } = line;
    const codes = this.#operationType === '' ? errorCodes.slice(0, codesOfSpan) : [];
    if (this.#event !== null) this.finish();
    if (this.#operation !== null) this.finish();
    const isKnown = methods.has(method);
    // The path of an unknown endpoint is the client's own text. That of a stream has a mark behind it.
    const route = endpoint === 'other' ? undefined : endpoint.split(' ', 1)[0];
    this.#request.rename([isKnown ? method : 'HTTP', ...(route === undefined ? [] : [route])].join(' '));
    const attributes = {
      'http.request.method': isKnown ? method : '_OTHER',
      'http.request.method_original': isKnown ? undefined : method,
      'http.route': route,
      'url.path': route,
      'url.scheme': 'http',
      'http.response.status_code': status,
      'user_agent.original': line.userAgent,
      'switchboard.client.name': line.clientName,
      'switchboard.client.version': line.clientVersion,
      'switchboard.request_id': line.requestId,
      'switchboard.upstream_calls': line.upstreamCalls,
      'switchboard.aborted': line.aborted,
      ...errorCodesOf(codes),
    };
    this.#request.end(attributes, errorTypeOf(status, codes));
  }
}

function errorCodesOf(codes: readonly string[]) {
  return { 'switchboard.error_codes': codes.length > 0 ? [...codes] : undefined };
}

/** By the conventions for HTTP: the span of a server has no failure where the status says that the client is at fault. */
function errorTypeOf(status: number, codes: readonly string[]): string | null {
  if (status >= 500) return String(status);
  return status >= 400 ? null : (codes[0] ?? null);
}

/** Creates the exporter to the collector, which counts what it has exported. */
function createExporter(options: TracingOptions, countSpan: Parameters<typeof createTracing>[1]): SpanExporter {
  const { protocol, timeoutMs, queueSize, batchSize } = options;
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const exporter: SpanExporter = new Exporter({
    timeoutMillis: timeoutMs,
    // A stop exports all that wait, side by side.
    concurrencyLimit: Math.ceil(queueSize / batchSize) + 1,
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
