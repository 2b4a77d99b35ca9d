import { LRUCache } from 'lru-cache';
import { unknownCallersPart } from '../../bounds.ts';

/** Callers whose key the API is remembered to have taken: some megabytes, and more callers than one process serves at a time. */
const knownCallers = 20_000;

/** Tells known callers, whose key the API has accepted, from unknown callers, whose keys may be made up. After a start nobody is known. */
export interface KnownCallers {
  /** Whether a caller is known. */
  has(identity: string): boolean;
  /** Learns from the status of a response to a caller. */
  learn(identity: string, status: number): void;
}

/** Takes every caller for a known one. */
export const everybodyKnown: KnownCallers = {
  has: () => true,
  learn: () => {},
};

const invalidKey = 401;

/**
 * Whether a status says nothing of a key. Only a success accepts one: an edge sends redirects, 400, 403, 404, 422 and 429 to anybody, and
 * 5xx may precede the check of a key.
 */
function isNeutral(status: number): boolean {
  return status !== invalidKey && (status < 200 || status >= 300);
}

/** Known callers, at first none. Where there are too many, the caller whose last response is the longest ago is forgotten. */
export function createKnownCallers(): KnownCallers {
  const callers = new LRUCache<string, true>({ max: knownCallers });
  return {
    has: (identity) => callers.has(identity),
    learn(identity, status) {
      if (isNeutral(status)) return;
      if (status === invalidKey) callers.delete(identity);
      // To ask for one also makes it the last to be forgotten.
      else if (callers.get(identity) === undefined) callers.set(identity, true);
    },
  };
}

/** The share of all unknown callers together in what there is for all callers: a part of it, but at least one. */
export function unknownShare(most: number): number {
  return Math.max(1, Math.floor(most / unknownCallersPart));
}
