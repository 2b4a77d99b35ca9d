import { behaving } from './behaviour.ts';
import type { Body } from './behaviour.ts';
import { chargesBreakdown } from './charges-breakdown.ts';
import { chargesSummary } from './charges-summary.ts';
import { bearerKey, SLOW_REPORT_KEY, UNKNOWN_ACCOUNT_KEY } from './credentials.ts';
import { methodNotAllowed, notFound, unknownAccount } from './errors.ts';
import { listIpConnections } from './ip-connection-list.ts';
import { ipConnections } from './ip-connection.ts';
import { listMissions, missions } from './mission.ts';
import type { Query } from './query.ts';
import { listWebhookDeliveries } from './webhook-delivery-list.ts';
import { liveDeliveries, webhookDeliveries } from './webhook-delivery.ts';

/** What the server needs of a request; `live` deliveries have come since its start. */
export type Call = { method: string; path: string; query: Query; authorization: string | undefined; live: number };

/** A JSON body, or a CSV file. */
export type Answer = { data: unknown } | { csv: string; filename: string };

type Route =
  | { path: RegExp; billing: true; answer: (query: Query) => Answer }
  | { path: RegExp; billing?: undefined; answer: (query: Query, id: string, live: number) => Body };

const found = (record: unknown): Body => {
  if (record === undefined) throw notFound();
  return { data: record };
};

const delivery = (id: string, live: number) =>
  webhookDeliveries.find(id) ??
  Array.from({ length: live }, (_, at) => liveDeliveries.at(at)).find((row) => row.id === id);

const ROUTES: readonly Route[] = [
  { path: /^\/v2\/charges_summary$/, billing: true, answer: chargesSummary },
  { path: /^\/v2\/charges_breakdown$/, billing: true, answer: chargesBreakdown },
  { path: /^\/v2\/ip_connections$/, answer: listIpConnections },
  { path: /^\/v2\/ip_connections\/([^/]+)$/, answer: (_, id) => found(ipConnections.find(id)) },
  { path: /^\/v2\/ai\/missions$/, answer: listMissions },
  { path: /^\/v2\/ai\/missions\/([^/]+)$/, answer: (_, id) => found(missions.find(id)) },
  { path: /^\/v2\/webhook_deliveries$/, answer: listWebhookDeliveries },
  { path: /^\/v2\/webhook_deliveries\/([^/]+)$/, answer: (_, id, live) => found(delivery(id, live)) },
];

/** How long an answer takes, in milliseconds: none but the billing reports of one key takes any time. */
export const delayOf = ({ path, authorization = '' }: Pick<Call, 'path' | 'authorization'>): number =>
  authorization.endsWith(` ${SLOW_REPORT_KEY}`) && ROUTES.some((route) => route.billing && route.path.test(path))
    ? 2_000
    : 0;

/** Answers a call or throws a `Refusal`; path, then method, then key, then account, then parameters are checked. */
export const answer = (call: Call): Answer => {
  const route = ROUTES.find(({ path }) => path.test(call.path));
  if (route === undefined) throw notFound();
  if (call.method !== 'GET') throw methodNotAllowed();
  const key = bearerKey(call.authorization);
  if (route.billing && key === UNKNOWN_ACCOUNT_KEY) throw unknownAccount();
  if (route.billing) return route.answer(call.query);
  const id = route.path.exec(call.path)?.[1] ?? '';
  return behaving(key, id, call.query, (query) => route.answer(query, id, call.live));
};
