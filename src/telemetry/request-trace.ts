import type { RequestLine, TraceIds } from './request-line.ts';
import type { Span, TraceHeaders } from './tracing.ts';

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
