import type { Gateway } from './gateway.ts';

/** Extensions that keep a request off the fast path: whether a hash beside a query is allowed, Yoga decides. */
export const offFastPath = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };

/** How many requests for GraphQL a gateway has served on the fast path. */
export async function directs(gateway: Gateway): Promise<number> {
  const text = await (await gateway.fetch('/metrics')).text();
  return Number(/^switchboard_graphql_requests_total\{route="direct"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}
