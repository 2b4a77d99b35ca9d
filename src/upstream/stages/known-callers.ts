import { LRUCache } from 'lru-cache';
import { knownCallers, strangersPart } from '../../bounds.ts';
import type { Stage } from './stage.ts';

/**
 * Tells the callers whose key the API has taken from strangers, whose keys may be made up. While it has taken none, as after
 * a start, there are no strangers: there is nobody to be kept from them.
 */
export interface KnownCallers {
  /** Whether a caller is no stranger. */
  has(identity: string): boolean;
  /** Takes note of an answer's status. */
  note(identity: string, status: number): void;
  /** Runs after each change, for the caller who is now known or a stranger; null where it may be anybody. */
  watch(run: (identity: string | null) => void): void;
}

/** For places that take all callers for known ones. */
export const everybodyKnown: KnownCallers = { has: () => true, note: () => {}, watch: () => {} };

const invalidKey = 401;

/** A redirect, 403 and 429 may be the edge's answer to anybody, and 5xx may come before a key has been looked at. */
function saysNothing(status: number): boolean {
  return (status >= 300 && status < 400) || status === 403 || status === 429 || status >= 500;
}

/** Nobody is known yet. Of too many, the one whose last answer is the longest ago is forgotten. */
export function createKnownCallers(most: number = knownCallers): KnownCallers {
  const watchers: ((identity: string | null) => void)[] = [];
  const tell = (identity: string | null): void => watchers.forEach((run) => run(identity));
  const evicted: string[] = [];
  const callers = new LRUCache<string, true>({
    max: most,
    dispose: (_value, identity, reason) => void (reason === 'evict' && evicted.push(identity)),
  });

  /** Whether that changes anything. */
  function change(identity: string, isKnown: boolean): boolean {
    if (!isKnown) return callers.delete(identity);
    const isNew = !callers.has(identity);
    callers.set(identity, true);
    return isNew;
  }

  return {
    has: (identity) => callers.size === 0 || callers.has(identity),
    note(identity, status) {
      if (saysNothing(status)) return;
      const wasEmpty = callers.size === 0;
      if (!change(identity, status !== invalidKey)) return;
      if (wasEmpty || callers.size === 0) return tell(null);
      for (const forgotten of evicted.splice(0)) tell(forgotten);
      tell(identity);
    },
    watch: (run) => void watchers.push(run),
  };
}

/** Takes note of how each call was answered, before its place is given back. */
export function noteCallers(known: KnownCallers): Stage {
  return (next) => async (request) => {
    const answer = await next(request);
    known.note(request.caller.identity, answer.status);
    return answer;
  };
}

/** The share of strangers in what there is for all callers: a quarter, but one at least. */
export function strangersShare(most: number): number {
  return Math.max(1, Math.floor(most / strangersPart));
}
