/** What is known of a span: names of OpenTelemetry's semantic conventions, or ours. Undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** One piece of work within a trace. It ends once; what comes later is ignored. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** False where the trace is not sampled: then nothing of it is exported, and only `headers` matter. */
  readonly isRecorded: boolean;
  /** The headers by which a call continues the trace (W3C Trace Context). */
  readonly headers: Readonly<Record<string, string>>;
  /** Begins a piece of this work: within the process, or by a call of another one (`client`). */
  begin(name: string, kind: 'internal' | 'client', attributes: Attributes): Span;
  /**
   * Ends the span, as of a moment of `performance.now()` where one is given. `error` is a code or a status, never a text, and null
   * where nothing failed.
   */
  end(attributes: Attributes, error: string | null, at?: number): void;
  /** Runs a function before the span ends; at once where it has ended or is not recorded. */
  beforeEnd(run: () => void): void;
  rename(name: string): void;
  /** For work that goes on when this has ended: its pieces begin traces of their own, which link to this span. */
  readonly detached: Span;
}

/** The headers by which a client continues its own trace, as they came. */
export interface TraceHeaders {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** Begins traces, and exports their spans. */
export interface Tracing {
  /** Begins the span of a request, in the trace of its client where the headers name one. */
  beginRequest(method: string, headers: TraceHeaders): Span;
  /** Exports what is left, and waits for that for `lastTracesMs` at most. */
  close(): Promise<void>;
}

/** The samplers of the standard variable `OTEL_TRACES_SAMPLER`. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** How spans are encoded for the collector. */
export const protocols = ['http/json', 'http/protobuf'] as const;

/** How spans are exported, and which of them; the packages of OpenTelemetry know where to. */
export interface TracingOptions {
  readonly protocol: (typeof protocols)[number];
  readonly sampler: (typeof samplers)[number];
  /** From 0 to 1, for the samplers by ratio. */
  readonly ratio: number;
  /** The longest time for one export, in milliseconds. */
  readonly timeoutMs: number;
  /** How long an ended span waits for others, in milliseconds. */
  readonly delayMs: number;
  /** The most ended spans that wait. Further ones are dropped. */
  readonly queueSize: number;
  /** The most spans of one export. */
  readonly batchSize: number;
}

/** Counts a span that the collector has taken, or not. */
export type CountSpan = (outcome: 'exported' | 'failed') => void;
