import type { Reply, SeenRequest } from './scripted-upstream.ts';
import * as records from './records.ts';

/** A field of Query that calls the upstream: its selection, its call, and the reply of a healthy upstream. */
export interface RootField {
  readonly name: string;
  readonly operation: `GET /${string}`;
  readonly path: string;
  readonly selection: string;
  readonly reply: Reply;
}

const october = '(startDate: "2026-10-01", endDate: "2026-11-01")';
const page = (row: records.JsonRecord): Reply => ({
  json: { data: [row], meta: { total_results: 1, total_pages: 1, page_number: 1, page_size: 20 } },
});

/** The field of each of the five operations. */
export const rootFields: readonly RootField[] = [
  {
    name: 'chargesSummary',
    operation: 'GET /charges_summary',
    path: '/charges_summary',
    selection: `chargesSummary${october} { currency }`,
    reply: { json: { data: records.chargesSummaryRecord() } },
  },
  {
    name: 'chargesBreakdown',
    operation: 'GET /charges_breakdown',
    path: '/charges_breakdown',
    selection: `chargesBreakdown${october} { currency }`,
    reply: { json: { data: records.chargesBreakdownRecord() } },
  },
  {
    name: 'ipConnections',
    operation: 'GET /ip_connections',
    path: '/ip_connections',
    selection: 'ipConnections { nodes { id } }',
    reply: page(records.ipConnectionRecord()),
  },
  {
    name: 'missions',
    operation: 'GET /ai/missions',
    path: '/ai/missions',
    selection: 'missions { nodes { id } }',
    reply: page(records.missionRecord()),
  },
  {
    name: 'webhookDeliveries',
    operation: 'GET /webhook_deliveries',
    path: '/webhook_deliveries',
    selection: 'webhookDeliveries { nodes { id } }',
    reply: page(records.webhookDeliveryRecord()),
  },
];

/** A summary of the requested period. */
export const summaryReply = ({ query }: SeenRequest): Reply => ({
  json: { data: records.chargesSummaryRecord({ start_date: query['start_date'], end_date: query['end_date'] }) },
});

/** The reply of a healthy upstream, whose reports are of the period that is asked for. */
export function healthyReply({ path, query }: SeenRequest): Reply {
  const period = Object.fromEntries(Object.entries(query).filter(([name]) => name.endsWith('_date')));
  if (path === '/charges_summary') return { json: { data: records.chargesSummaryRecord(period) } };
  if (path === '/charges_breakdown') return { json: { data: records.chargesBreakdownRecord(period) } };
  const field = rootFields.find((candidate) => candidate.path === path);
  if (field === undefined) throw new Error(`No root field calls ${path}.`);
  return field.reply;
}

/** All five at once. */
export const allRootFields = `{ ${rootFields.map(({ selection }) => selection).join(' ')} }`;
