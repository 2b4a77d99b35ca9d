import type { WireResponse } from '../hostile/response-parser.ts';
import type { StrangerRequest } from './wire.ts';

const read = ['GET', 'HEAD'];
// A map, since a target may be the name of anything that every object has.
const allowed: ReadonlyMap<string, readonly string[]> = new Map([
  ['/graphql', [...read, 'POST', 'QUERY']],
  ['/mcp', ['POST']],
  ...`/ /schema.graphql /voyager /health /ready /metrics /docs/client-guide.md /docs/agents.md /exports/charges-breakdown.csv
    /.well-known/oauth-protected-resource /.well-known/oauth-protected-resource/mcp`
    .split(/\s+/)
    .map((path) => [path, read] as const),
]);

/** Refusals that come before anybody looks at the method: bytes that are no request, and a page of another site at the tools. */
const earlier: ReadonlySet<number> = new Set([400, 403, 408, 413, 417, 431]);
// The answer to a preflight request.
const noContent = 204;

/** How a response to a method that its endpoint does not take is another than 405 with Allow; null where it is right. */
export function faultOfMethod(
  { method, target }: Pick<StrangerRequest, 'method' | 'target'>,
  { status, headers }: Pick<WireResponse, 'status' | 'headers'>,
): string | null {
  const methods = allowed.get(target.split('?', 1)[0] ?? '');
  if (methods === undefined || methods.includes(method) || earlier.has(status)) return null;
  if (method === 'OPTIONS' && status === noContent) return null;
  if (status !== 405) return `${status} for a method that is not taken: ${method} ${target.slice(0, 100)}`;
  const names = headers.get('allow')?.split(', ') ?? [];
  return names.length > 0 && names.every((name) => methods.includes(name))
    ? null
    : `405 with Allow "${names.join(', ')}": ${method} ${target.slice(0, 100)}`;
}
