import { MovingUpstream, type ListPath } from '../../support/moving-upstream.ts';
import type { Reply, ScriptedUpstream, SeenRequest } from '../../support/scripted-upstream.ts';

/** What can be looked up: its fields, its type, and its list upstream. */
export interface Kind {
  readonly field: 'ipConnection' | 'mission' | 'webhookDelivery';
  readonly list: 'ipConnections' | 'missions' | 'webhookDeliveries';
  readonly type: string;
  readonly path: ListPath;
  readonly limit: number;
}

/** All there are. */
export const kinds: readonly Kind[] = [
  { field: 'ipConnection', list: 'ipConnections', type: 'IpConnection', path: '/ip_connections', limit: 250 },
  { field: 'mission', list: 'missions', type: 'Mission', path: '/ai/missions', limit: 1000 },
  {
    field: 'webhookDelivery',
    list: 'webhookDeliveries',
    type: 'WebhookDelivery',
    path: '/webhook_deliveries',
    limit: 250,
  },
];

/** The kind whose list has this name. */
export function kindOf(list: Kind['list']): Kind {
  const found = kinds.find((kind) => kind.list === list);
  if (found === undefined) throw new Error(`There is no list ${list}.`);
  return found;
}

/** One operation that looks up each of these, under the aliases a0, a1 and so on. */
export const lookUpAll = (field: string, ids: readonly string[]): string =>
  `{ ${ids.map((id, index) => `a${index}: ${field}(id: ${JSON.stringify(id)}) { id nodeId }`).join(' ')} }`;

/** Which pages were asked for, in order. */
export const pagesOf = (requests: readonly SeenRequest[]): readonly string[] =>
  requests.map(({ query }) => `${query['page[number]']} of ${query['page[size]']}`);

/** A global identifier as the gateway makes it. */
export const nodeIdOf = (type: string, id: string, hint: string | null): string =>
  Buffer.from(JSON.stringify([type, id, hint])).toString('base64url');

/** Answers as the list does, but for the calls that `replies` has another answer to. */
export function scriptWith(
  upstream: ScriptedUpstream,
  list: MovingUpstream,
  replies: (request: SeenRequest) => Reply | null,
): void {
  upstream.script((request) => replies(request) ?? list.answer(request));
}

/** Ten thousand deliveries, as many connections and missions as fit on a page, behind one upstream. */
export function scriptAll(upstream: ScriptedUpstream): Readonly<Record<Kind['list'], MovingUpstream>> {
  const lists = {
    ipConnections: new MovingUpstream('/ip_connections', 1000, (index) => ({ connection_name: `Office ${index}` })),
    missions: new MovingUpstream('/ai/missions', 100, (index) => ({ name: `Mission ${index}` })),
    webhookDeliveries: new MovingUpstream('/webhook_deliveries', 10_000),
  };
  upstream.script(
    (request) =>
      Object.values(lists)
        .find(({ path }) => path === request.path)
        ?.answer(request) ?? { status: 404 },
  );
  return lists;
}
