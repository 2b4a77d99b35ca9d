import { codesOfRequest } from '../../bounds.ts';

/** What the log line and the metrics report of one request. They report nothing else. */
export class RequestRecord {
  #endpoint = 'other';
  #operationName: string | null = null;
  #trustedOperation: string | null = null;
  #upstreamCalls = 0;
  readonly #errorCodes: string[] = [];

  /** The path of an endpoint, the name of a stream, or `other` for an unknown address; never a text of the client. */
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

  /** The codes of the errors that were sent, in their order, the first ten thousand. */
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
    this.#errorCodes.push(...codes.slice(0, codesOfRequest - this.#errorCodes.length));
  }
}
