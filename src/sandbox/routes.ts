import { bodyForKey, type RecordBody } from './behaviour.ts';
import { chargesBreakdown } from './charges-breakdown.ts';
import { chargesSummary } from './charges-summary.ts';
import { bearerKey, slowReportKey, unknownAccountKey } from './credentials.ts';
import { methodNotAllowed, notFound, unknownAccount } from './errors.ts';
import { listIpConnections } from './ip-connection-list.ts';
import { ipConnections } from './ip-connection.ts';
import { listMissions, missions } from './mission.ts';
import type { Query } from './query.ts';
import { listWebhookDeliveries } from './webhook-delivery-list.ts';
import { liveDeliveries, webhookDeliveries } from './webhook-delivery.ts';

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

type Route =
  | { path: RegExp; billing: true; read: (query: Query) => Content }
  | { path: RegExp; billing?: undefined; read: (query: Query, id: string, live: number) => RecordBody };

function found(record: unknown): RecordBody {
  if (record === undefined) throw notFound();
  return { data: record };
}

function deliveryOf(id: string, live: number) {
  return (
    webhookDeliveries.find(id) ??
    Array.from({ length: live }, (_, at) => liveDeliveries.at(at)).find((row) => row.id === id)
  );
}

const routes: readonly Route[] = [
  { path: /^\/v2\/charges_summary$/, billing: true, read: chargesSummary },
  { path: /^\/v2\/charges_breakdown$/, billing: true, read: chargesBreakdown },
  { path: /^\/v2\/ip_connections$/, read: listIpConnections },
  { path: /^\/v2\/ip_connections\/([^/]+)$/, read: (_, id) => found(ipConnections.find(id)) },
  { path: /^\/v2\/ai\/missions$/, read: listMissions },
  { path: /^\/v2\/ai\/missions\/([^/]+)$/, read: (_, id) => found(missions.find(id)) },
  { path: /^\/v2\/webhook_deliveries$/, read: listWebhookDeliveries },
  { path: /^\/v2\/webhook_deliveries\/([^/]+)$/, read: (_, id, live) => found(deliveryOf(id, live)) },
];

/** How long a response takes, in milliseconds: 0 but for the billing reports of one key. */
export function delayOf({ path, authorization = '' }: Pick<SandboxRequest, 'path' | 'authorization'>): number {
  return authorization.endsWith(` ${slowReportKey}`) && routes.some((route) => route.billing && route.path.test(path))
    ? 2_000
    : 0;
}

/** The content of a response, or a thrown `Refusal`; path, then method, then key, then account, then parameters are checked. */
export function contentOf(request: SandboxRequest): Content {
  const route = routes.find(({ path }) => path.test(request.path));
  if (route === undefined) throw notFound();
  if (request.method !== 'GET') throw methodNotAllowed();
  const key = bearerKey(request.authorization);
  if (route.billing && key === unknownAccountKey) throw unknownAccount();
  if (route.billing) return route.read(request.query);
  const id = route.path.exec(request.path)?.[1] ?? '';
  return bodyForKey(key, id, request.query, (query) => route.read(query, id, request.live));
}
