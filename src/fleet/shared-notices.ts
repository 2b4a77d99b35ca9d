import { keptNotices, longestRetryAfterMs } from '../bounds.ts';
import type { SharedBreakers } from '../upstream/stages/breaker.ts';
import type { SharedLimits } from '../upstream/stages/rate-limit.ts';
import type { CallerKey, SecretsOf } from './caller-secrets.ts';
import type { Notices } from './shared-store.ts';

const context = 'limit';

/**
 * The used-up rate limits that other replicas have met. A notice is sealed with its caller's key, so only this caller's calls
 * open it, and a store that makes notices up stops nobody.
 */
export function createSharedLimits(
  notices: Notices,
  secretsOf: SecretsOf,
  now = (): number => Date.now(),
): SharedLimits {
  /** By the caller's name in the store: what was sealed, or when the limit is reset, once that is known. */
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
    const reset = Number(opened?.toString('latin1'));
    return Number.isFinite(reset) && reset <= now() + longestRetryAfterMs ? reset : 0;
  }

  return {
    resetOf(caller) {
      // Most of the time nobody is limited, and calls cost nothing here.
      if (limits.size === 0) return 0;
      const { name } = secretsOf(caller);
      const limit = limits.get(name);
      if (limit === undefined) return 0;
      const reset = typeof limit === 'number' ? limit : resetIn(caller, limit);
      if (reset <= now()) limits.delete(name);
      else limits.set(name, reset);
      return reset;
    },
    tell(caller, reset) {
      const secrets = secretsOf(caller);
      const value = secrets.seal(context, Buffer.from(String(Math.ceil(reset)))).toString('base64url');
      notices.send({ kind: 'limit', name: secrets.name, value }, Math.max(1, Math.ceil(reset - now())));
    },
  };
}

/** The open breakers of other workers. Each closes its own, by a probe of its own. */
export function createSharedBreakers(notices: Notices): SharedBreakers {
  return {
    tell: (endpoint, callers) => notices.send({ kind: 'breaker', name: endpoint, value: callers }, 0),
    watch(run) {
      notices.watch(({ kind, name, value }) => {
        if (kind === 'breaker' && (value === 'known' || value === 'strangers')) run(name, value);
      });
    },
  };
}
