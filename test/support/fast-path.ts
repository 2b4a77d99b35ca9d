export { directs } from './metrics.ts';

/** Extensions that keep a request off the fast path: whether a hash beside a query is allowed, Yoga decides. */
export const offFastPath = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
