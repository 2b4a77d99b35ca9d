import { routes } from '../generated/sandbox-routes.ts';
import { bodyForKey, type RecordBody } from './behaviour.ts';
import { bearerKey, slowReportKey, unknownAccountKey } from './credentials.ts';
import { methodNotAllowed, notFound, unknownAccount } from './errors.ts';
import type { Query } from './query.ts';

/** A request to the sandbox; `live` is how many deliveries have come since its start. */
export interface SandboxRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Query;
  readonly authorization: string | undefined;
  readonly live: number;
}

/** A JSON body, or a CSV file. */
export type Content = { data: unknown } | { csv: string; filename: string };

/** One endpoint of the API, and the one for a single row where there is one. A file that exports a `route` is served. */
export type Route = { readonly path: string } & (
  | { readonly billing: true; readonly read: (query: Query) => Content }
  | {
      readonly billing?: undefined;
      readonly list: (query: Query, live: number) => RecordBody;
      /** The row of an identifier; undefined where there is none. */
      readonly find: (id: string, live: number) => unknown;
    }
);

function routeOf(path: string): { readonly route: Route; readonly id: string | null } | undefined {
  const [, rest = ''] = /^\/v2(\/.*)$/.exec(path) ?? [];
  const [, parent = '', id = ''] = /^(.+)\/([^/]+)$/.exec(rest) ?? [];
  for (const route of routes as readonly Route[]) {
    if (route.path === rest) return { route, id: null };
    if (route.path === parent && route.billing === undefined) return { route, id };
  }
  return undefined;
}

/** How long a response takes, in milliseconds: 0 but for the billing reports of one key. */
export function delayOf({ path, authorization = '' }: Pick<SandboxRequest, 'path' | 'authorization'>): number {
  return authorization.endsWith(` ${slowReportKey}`) && routeOf(path)?.route.billing === true ? 2_000 : 0;
}

/** The content of a response, or a thrown `Refusal`; path, then method, then key, then account, then parameters are checked. */
export function contentOf({ path, method, query, authorization, live }: SandboxRequest): Content {
  const found = routeOf(path);
  if (found === undefined) throw notFound();
  if (method !== 'GET') throw methodNotAllowed();
  const key = bearerKey(authorization);
  const { route, id } = found;
  if (route.billing === true && key === unknownAccountKey) throw unknownAccount();
  if (route.billing === true) return route.read(query);
  return bodyForKey(key, id ?? '', query, (understood) => {
    if (id === null) return route.list(understood, live);
    const row = route.find(id, live);
    if (row === undefined) throw notFound();
    return { data: row };
  });
}
