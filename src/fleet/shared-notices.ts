import { longestRetryAfterMs } from '../bounds.ts';
import type { SharedLimits } from '../upstream/stages/rate-limit.ts';
import type { CallerKey, SecretsOf } from './caller-secrets.ts';
import type { Notices } from './shared-store.ts';

/** Limits of others that a replica remembers: some megabytes. */
const keptNotices = 10_000;

const context = 'limit';

/**
 * The used-up rate limits that other replicas have met. A notice is sealed with its caller's key, so only this caller's calls
 * open it, and a store that makes notices up stops nobody. It tells the moment of the reset by the machines' clocks.
 */
export function createSharedLimits(notices: Notices, secretsOf: SecretsOf): SharedLimits {
  /** By the name that the caller's secrets give the limit: what was sealed, or, once it is known, when performance.now() resets it. */
  const limits = new Map<string, string | number>();

  notices.watch(({ kind, name, value }) => {
    if (kind !== 'limit') return;
    limits.delete(name);
    const [oldest] = limits.keys();
    if (limits.size >= keptNotices && oldest !== undefined) limits.delete(oldest);
    limits.set(name, value);
  });

  function resetIn(caller: CallerKey, sealed: string): number {
    const opened = secretsOf(caller).open(context, Buffer.from(sealed, 'base64url'));
    const waitMs = Number(opened?.toString('latin1')) - Date.now();
    return waitMs > 0 && waitMs <= longestRetryAfterMs ? performance.now() + waitMs : 0;
  }

  /** Nobody without the key learns of which endpoint a limit is. */
  function nameOf(caller: CallerKey, endpoint: string): string {
    return secretsOf(caller).nameOf(`${context} ${endpoint}`);
  }

  return {
    waitOf(caller, endpoint) {
      // Most of the time nobody is limited, and calls cost nothing here.
      if (limits.size === 0) return 0;
      const name = nameOf(caller, endpoint);
      const limit = limits.get(name);
      if (limit === undefined) return 0;
      const reset = typeof limit === 'number' ? limit : resetIn(caller, limit);
      const waitMs = Math.max(0, reset - performance.now());
      if (waitMs === 0) limits.delete(name);
      else limits.set(name, reset);
      return waitMs;
    },
    tell(caller, endpoint, waitMs) {
      const secrets = secretsOf(caller);
      const reset = String(Math.ceil(Date.now() + waitMs));
      const value = secrets.seal(context, Buffer.from(reset)).toString('base64url');
      notices.send({ kind: 'limit', name: nameOf(caller, endpoint), value });
    },
  };
}
