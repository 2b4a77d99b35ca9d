/** The settings of the gateways, as far as promises depend on them. */
export interface ModelSettings {
  readonly replicas: number;
  readonly scanPages: number;
  readonly operationTimeoutMs: number;
  readonly pollMs: number;
  readonly overlapMs: number;
  readonly reportCacheMs: number;
  readonly historyCacheMs: number;
  readonly upstreamTimeoutMs: number;
  readonly stallTimeoutMs: number;
  /** Whether replicas share what they know. */
  readonly isShared: boolean;
  readonly exposesSecrets: boolean;
  /** Whether replies that are slow, but not too slow by default, come too late. */
  readonly hasShortTimes: boolean;
  /** Whether callers who ask for much take slots that others would have. */
  readonly hasFewSlots: boolean;
}

/** Reads them as the gateway's environment has them; what is unset is the gateway's own. */
export function settingsOf(env: Readonly<Record<string, string>>): ModelSettings {
  const number = (name: string, fallback: number): number => Number(env[name] ?? fallback);
  return {
    replicas: number('REPLICAS', 2),
    scanPages: number('UPSTREAM_SCAN_PAGES', 60),
    operationTimeoutMs: number('OPERATION_TIMEOUT_MS', 30_000),
    pollMs: number('SUBSCRIPTION_POLL_MS', 2_000),
    overlapMs: number('SUBSCRIPTION_OVERLAP_MS', 60_000),
    reportCacheMs: number('REPORT_CACHE_MS', 10_000),
    historyCacheMs: number('HISTORY_CACHE_MS', 600_000),
    upstreamTimeoutMs: number('UPSTREAM_TIMEOUT_MS', 10_000),
    stallTimeoutMs: number('UPSTREAM_STALL_TIMEOUT_MS', 5_000),
    isShared: env['SHARED_STATE_URL'] !== undefined,
    exposesSecrets: env['EXPOSE_SECRETS'] === 'true',
    hasShortTimes: ['UPSTREAM_TIMEOUT_MS', 'UPSTREAM_STALL_TIMEOUT_MS', 'OPERATION_TIMEOUT_MS'].some(
      (name) => number(name, 10_000) < 5_000,
    ),
    hasFewSlots: number('UPSTREAM_MAX_CONCURRENCY', 128) < 64 || number('UPSTREAM_QUEUE_SIZE', 1_000) < 1_000,
  };
}
