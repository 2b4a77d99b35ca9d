/** A limit that can be set: a whole number within bounds. */
export interface Limit {
  readonly variable: string;
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
  readonly unit: string;
}

function limit(variable: string, fallback: number, least: number, most: number, unit: string): Limit {
  return {
    variable,
    fallback,
    least,
    most,
    unit,
  };
}

/** Every limit by the name of its setting. What each is for stands in the tables of docs/configuration.md. */
export const limits = {
  upstreamTimeoutMs: limit('UPSTREAM_TIMEOUT_MS', 10_000, 1, 600_000, 'milliseconds'),
  upstreamConnectTimeoutMs: limit('UPSTREAM_CONNECT_TIMEOUT_MS', 3_000, 1, 60_000, 'milliseconds'),
  upstreamStallTimeoutMs: limit('UPSTREAM_STALL_TIMEOUT_MS', 5_000, 1, 600_000, 'milliseconds'),
  operationTimeoutMs: limit('OPERATION_TIMEOUT_MS', 30_000, 1, 600_000, 'milliseconds'),
  upstreamRetries: limit('UPSTREAM_RETRIES', 2, 0, 5, 'retries'),
  upstreamMaxConcurrency: limit('UPSTREAM_MAX_CONCURRENCY', 128, 1, 10_000, 'calls'),
  upstreamQueueSize: limit('UPSTREAM_QUEUE_SIZE', 1_000, 0, 100_000, 'calls'),
  upstreamQueueTimeoutMs: limit('UPSTREAM_QUEUE_TIMEOUT_MS', 2_000, 1, 60_000, 'milliseconds'),
  upstreamBreakerOpenMs: limit('UPSTREAM_BREAKER_OPEN_MS', 5_000, 1, 10_000, 'milliseconds'),
  upstreamMaxBodyBytes: limit('UPSTREAM_MAX_BODY_BYTES', 33_554_432, 1_024, 536_870_912, 'bytes'),
  upstreamMaxHeldBytes: limit('UPSTREAM_MAX_HELD_BYTES', 268_435_456, 1_048_576, 17_179_869_184, 'bytes'),
  reportCacheMs: limit('REPORT_CACHE_MS', 10_000, 0, 600_000, 'milliseconds'),
  reportCacheBytes: limit('REPORT_CACHE_BYTES', 16_777_216, 0, 536_870_912, 'bytes'),
  upstreamScanPages: limit('UPSTREAM_SCAN_PAGES', 60, 1, 1_000, 'pages'),
  subscriptionPollMs: limit('SUBSCRIPTION_POLL_MS', 2_000, 1, 600_000, 'milliseconds'),
  subscriptionOverlapMs: limit('SUBSCRIPTION_OVERLAP_MS', 60_000, 0, 3_600_000, 'milliseconds'),
  subscriptionMaxFeeds: limit('SUBSCRIPTION_MAX_FEEDS', 1_000, 1, 100_000, 'feeds'),
  subscriptionMaxStreams: limit('SUBSCRIPTION_MAX_STREAMS', 10_000, 1, 1_000_000, 'streams'),
  subscriptionBuffer: limit('SUBSCRIPTION_BUFFER', 1_000, 1, 100_000, 'deliveries'),
  subscriptionBufferBytes: limit('SUBSCRIPTION_BUFFER_BYTES', 67_108_864, 65_536, 17_179_869_184, 'bytes'),
  limitTokens: limit('LIMIT_TOKENS', 3_000, 1, 100_000, 'tokens'),
  limitDepth: limit('LIMIT_DEPTH', 20, 1, 1_000, 'levels'),
  limitAliases: limit('LIMIT_ALIASES', 100, 0, 10_000, 'aliases'),
  limitRootFields: limit('LIMIT_ROOT_FIELDS', 50, 1, 10_000, 'fields'),
  limitCost: limit('LIMIT_COST', 20_000, 1, 100_000_000, 'calls and objects'),
  requestHeadersTimeoutMs: limit('REQUEST_HEADERS_TIMEOUT_MS', 10_000, 1, 600_000, 'milliseconds'),
  requestTimeoutMs: limit('REQUEST_TIMEOUT_MS', 30_000, 1, 600_000, 'milliseconds'),
  responseStallTimeoutMs: limit('RESPONSE_STALL_TIMEOUT_MS', 15_000, 1, 600_000, 'milliseconds'),
} as const satisfies Record<string, Limit>;

/** The values of all limits. */
export type Limits = { readonly [Name in keyof typeof limits]: number };
