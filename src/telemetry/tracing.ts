import type { RequestLine, TraceIds } from './log.ts';

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
    const { traceId, spanId } = this.#request;
    return { traceId, spanId };
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
  end(line: Omit<RequestLine, 'durationMs'>) {
    if (!this.isRecorded) return;
    const { method = '', endpoint, status, aborted, upstreamCalls, requestId, client } = line;
    const codes = this.#operationType === '' ? [...new Set(line.errorCodes)].slice(0, codesOfSpan) : [];
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
      'user_agent.original': client.userAgent ?? undefined,
      'switchboard.client.name': client.name ?? undefined,
      'switchboard.client.version': client.version ?? undefined,
      'switchboard.request_id': requestId,
      'switchboard.upstream_calls': upstreamCalls,
      'switchboard.aborted': aborted || undefined,
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
