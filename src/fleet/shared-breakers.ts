import type { SharedBreakers } from '../upstream/stages/breaker.ts';
import type { Notices } from './shared-store.ts';

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
