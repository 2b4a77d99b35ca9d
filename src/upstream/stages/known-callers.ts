import { LRUCache } from 'lru-cache';
import { unknownCallersPart } from '../../bounds.ts';

/** Callers whose key the API is remembered to have taken: some megabytes, and more callers than one process serves at a time. */
const knownCallers = 20_000;

/** Tells known callers, whose key the API has accepted, from unknown callers, whose keys may be made up. After a start nobody is known. */
export interface KnownCallers {
  /** Whether a caller is known. */
  has(identity: string): boolean;
  /** Learns from the status of a response to a caller: a success accepts its key, 401 refuses it, and any other says nothing of it. */
  learn(identity: string, status: number): void;
}

/** Known callers, at first none. Where there are too many, the caller whose last response is the longest ago is forgotten. */
export function createKnownCallers(): KnownCallers {
  const callers = new LRUCache<string, true>({ max: knownCallers });
  return {
    has: (identity) => callers.has(identity),
    learn(identity, status) {
      if (status === 401) callers.delete(identity);
      // An edge sends redirects, 400, 403, 404, 422 and 429 to anybody, and 5xx may precede the check of a key.
      else if (status >= 200 && status < 300) callers.set(identity, true);
    },
  };
}

/** The share of all unknown callers together in what there is for all callers: a part of it, but at least one. */
export function unknownShare(most: number): number {
  return Math.max(1, Math.floor(most / unknownCallersPart));
}
