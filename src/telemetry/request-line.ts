/** What a client says of itself, cleaned; null where it says nothing. Many requests of a connection share one. */
export interface ClientName {
  readonly name: string | null;
  readonly version: string | null;
  readonly userAgent: string | null;
}

/** Names a span in a log line. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** The log line of a request that has ended. Members that are null or empty are left out. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string | undefined;
  readonly endpoint: string;
  readonly status: number;
  /** To a hundredth of a millisecond. */
  readonly durationMs: number;
  readonly operationName: string | null;
  /** The name of the trusted operation in the operator's documents. */
  readonly trustedOperation: string | null;
  readonly errorCodes: readonly string[];
  readonly upstreamCalls: number;
  readonly aborted: boolean;
  readonly client: ClientName;
  /** Null where there are no traces. */
  readonly trace: TraceIds | null;
}

// Probes and Prometheus come every few seconds, and their lines would bury the others.
const quiet: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** Whether an endpoint is one of those. */
export function isQuiet(endpoint: string): boolean {
  return quiet.has(endpoint);
}

/** The level of the line of a request. */
export function levelOf(endpoint: string): 'debug' | 'info' {
  return isQuiet(endpoint) ? 'debug' : 'info';
}

/** The members of the line, as pino takes them. */
export function loggedFields(line: RequestLine): Record<string, unknown> {
  const { operationName, trustedOperation, errorCodes, upstreamCalls, aborted, client, trace } = line;
  const { requestId, method, endpoint, status, durationMs } = line;
  return {
    requestId,
    method,
    endpoint,
    status,
    durationMs,
    ...(operationName !== null && { operationName }),
    ...(trustedOperation !== null && { trustedOperation }),
    ...(errorCodes.length > 0 && { errorCodes: [...new Set(errorCodes)] }),
    upstreamCalls,
    ...(aborted && { aborted }),
    ...(client.name !== null && { clientName: client.name }),
    ...(client.version !== null && { clientVersion: client.version }),
    ...(client.userAgent !== null && { userAgent: client.userAgent }),
    ...trace,
  };
}
