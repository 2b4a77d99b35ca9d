import { LRUCache } from 'lru-cache';
import { knownCallers } from '../bounds.ts';
import type { Stage } from './client.ts';

/** The callers whose key the API has taken. All others are strangers: their keys may be made up. */
export interface KnownCallers {
  has(identity: string): boolean;
  /** Takes note of an answer's status. */
  note(identity: string, status: number): void;
  /** Runs after each change, for the caller who has become known or a stranger. */
  watch(run: (identity: string) => void): void;
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
  const watchers: ((identity: string) => void)[] = [];
  const tell = (identity: string): void => watchers.forEach((run) => run(identity));
  const evicted: string[] = [];
  const callers = new LRUCache<string, true>({
    max: most,
    dispose: (_value, identity, reason) => void (reason === 'evict' && evicted.push(identity)),
  });

  return {
    has: (identity) => callers.has(identity),
    note(identity, status) {
      if (saysNothing(status)) return;
      const wasKnown = callers.has(identity);
      const isKnown = status !== invalidKey;
      if (isKnown) callers.set(identity, true);
      else callers.delete(identity);
      for (const forgotten of evicted.splice(0)) tell(forgotten);
      if (wasKnown !== isKnown) tell(identity);
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
  return Math.max(1, Math.floor(most / 4));
}
