import type { Gateway } from './gateway.ts';

/** How many requests for GraphQL a gateway has served on the fast path. */
export async function directs(gateway: Gateway): Promise<number> {
  const text = await (await gateway.fetch('/metrics')).text();
  return Number(/^switchboard_graphql_requests_total\{route="direct"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}
