import type { Random } from '../types.ts';

/** A world's replicas and their environment. */
export interface Setup {
  readonly replicas: number;
  readonly env: Readonly<Record<string, string>>;
  /** Whether there are plans and the fast path. */
  readonly isCompiling: boolean;
  /** The machine's clock when the world begins, in milliseconds since 1970. */
  readonly wallMs: number;
}

/** The settings that promises depend on, with the gateway's own defaults. */
const defaults = {
  UPSTREAM_SCAN_PAGES: 60,
  SUBSCRIPTION_POLL_MS: 2_000,
  SUBSCRIPTION_OVERLAP_MS: 60_000,
  HISTORY_CACHE_MS: 600_000,
  REPORT_CACHE_MS: 10_000,
  OPERATION_TIMEOUT_MS: 30_000,
  RESPONSE_STALL_TIMEOUT_MS: 15_000,
};

/** A setting as the gateways of a world have it. */
export function settingOf({ env }: Setup, name: keyof typeof defaults): number {
  return Number(env[name] ?? defaults[name]);
}

// Threads would end at moments of their own, and pages are files.
const always = { EXPLORER: 'false', COMPRESSION: 'false', LOG_LEVEL: 'debug' };

/** Chooses the settings of all replicas, most near their defaults. */
export function chooseSetup(random: Random): Setup {
  const some = (p: number, name: string, values: readonly number[]): Record<string, string> =>
    random.chance(p) ? { [name]: String(random.pick(values)) } : {};
  const replicas = random.chance(0.8) ? 2 : 1;
  const isCompiling = random.chance(0.7);
  const env = {
    ...always,
    ...some(0.4, 'UPSTREAM_SCAN_PAGES', [1, 2, 5, 10, 20]),
    ...some(0.5, 'SUBSCRIPTION_POLL_MS', [500, 1_000, 10_000, 60_000, 600_000]),
    ...some(0.3, 'SUBSCRIPTION_OVERLAP_MS', [10_000, 300_000]),
    ...some(0.3, 'SUBSCRIPTION_BUFFER', [2, 10, 50]),
    ...some(0.3, 'HISTORY_CACHE_MS', [0, 60_000, 3_600_000]),
    ...some(0.3, 'REPORT_CACHE_MS', [0, 1_000, 60_000]),
    ...some(0.3, 'UPSTREAM_RETRIES', [0, 1, 5]),
    ...some(0.3, 'UPSTREAM_TIMEOUT_MS', [500, 2_000, 5_000]),
    ...some(0.2, 'UPSTREAM_STALL_TIMEOUT_MS', [300, 1_000]),
    ...some(0.2, 'OPERATION_TIMEOUT_MS', [5_000, 10_000]),
    ...some(0.2, 'RESPONSE_STALL_TIMEOUT_MS', [1_000, 5_000]),
    ...some(0.2, 'UPSTREAM_BREAKER_OPEN_MS', [500, 10_000]),
  };
  const year = 365 * 86_400_000;
  return { replicas, env, isCompiling, wallMs: Date.UTC(2025, 0, 1) + Math.floor(random.next() * 2 * year) };
}
