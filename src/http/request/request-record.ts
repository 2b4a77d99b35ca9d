// A stream may fail for days, and the log line names each code once.
const mostCodes = 10_000;

/** What the log line and the metrics report of one request. They report nothing else. */
export class RequestRecord {
  #endpoint = 'other';
  #operationName: string | null = null;
  #trustedOperation: string | null = null;
  #upstreamCalls = 0;
  readonly #errorCodes: string[] = [];

  /** One of the names in `router.ts`, or the name of a stream; never a text of the client. */
  get endpoint(): string {
    return this.#endpoint;
  }

  /** The name of the GraphQL operation, without the caller's key; null where it has none, or was not found. */
  get operationName(): string | null {
    return this.#operationName;
  }

  /** The name of the trusted operation, out of the operator's own documents; null where the document is none of those. */
  get trustedOperation(): string | null {
    return this.#trustedOperation;
  }

  /** Calls of the API that the request has caused so far. */
  get upstreamCalls(): number {
    return this.#upstreamCalls;
  }

  /** The codes of all errors that were sent, in their order. */
  get errorCodes(): readonly string[] {
    return this.#errorCodes;
  }

  noteEndpoint(endpoint: string): void {
    this.#endpoint = endpoint;
  }

  noteOperation(name: string | null, trusted: string | null): void {
    this.#operationName = name;
    this.#trustedOperation = trusted;
  }

  countCall(): void {
    this.#upstreamCalls++;
  }

  noteErrors(codes: readonly string[]): void {
    this.#errorCodes.push(...codes.slice(0, mostCodes - this.#errorCodes.length));
  }
}
