import * as records from '../support/records.ts';
import { pageReply, type Reply, type SeenRequest } from '../support/scripted-upstream.ts';

const urlOf = (index: number): string => `https://hooks.example.com/${'v'.repeat(index % 7)}`;
const momentOf = (index: number): string => new Date(Date.UTC(2026, 9, 31) - index * 60_000).toISOString();

function connection(index: number, id = `c${index}`): records.JsonRecord {
  return records.ipConnectionRecord({
    id,
    connection_name: `name ${index % 300}`,
    created_at: momentOf(index),
    webhook_event_url: urlOf(index),
    webhook_event_failover_url: index % 3 === 0 ? `https://backup.example.com/${index}` : null,
  });
}

function delivery(index: number): records.JsonRecord {
  const http = { request: { url: urlOf(index * 5), headers: [] } };
  return records.webhookDeliveryRecord({
    id: `d${index}`,
    started_at: momentOf(index),
    status: index % 2 === 0 ? 'delivered' : 'failed',
    attempts: [records.attemptRecord({ http })],
    // Each third names a connection, some of which there are not.
    webhook: { payload: index % 3 === 0 ? { connection_id: `c${index % 700}` } : null },
  });
}

/** The summary of a period, with one line: the estimate takes its lists for that long. */
function summaryOf({ start_date, end_date }: SeenRequest['query']): records.JsonRecord {
  const summary = { lines: [records.comparativeLine()], adjustments: [records.adjustmentLine()] };
  return records.chargesSummaryRecord({ start_date, end_date, summary });
}

const rows = (length: number, make: (index: number) => records.JsonRecord): records.JsonRecord[] =>
  Array.from({ length }, (_, index) => make(index));

/** An upstream's account whose lists take several pages, whose addresses contain each other and are shared. */
export function createAccount() {
  const connections = rows(620, connection);
  const missions = rows(1_300, (index) => records.missionRecord({ mission_id: `m${index}`, metadata: null }));
  const deliveries = rows(1_100, delivery);

  function deliveriesOf({ query }: SeenRequest): records.JsonRecord[] {
    const from = Date.parse(query['filter[started_at][gte]'] ?? '2000-01-01T00:00:00Z');
    const to = Date.parse(query['filter[started_at][lte]'] ?? '2100-01-01T00:00:00Z');
    return deliveries.filter((row) => {
      const moment = Date.parse(String(row['started_at']));
      const isTried = JSON.stringify(row['attempts']).includes(query['filter[attempts][contains]'] ?? '');
      const isNamed = JSON.stringify(row['webhook']).includes(query['filter[webhook][contains]'] ?? '');
      const { 'filter[status][eq]': status = row['status'] } = query;
      return isTried && isNamed && row['status'] === status && moment >= from && moment <= to;
    });
  }

  function one(list: readonly records.JsonRecord[], name: string, path: string): Reply {
    const row = list.find((candidate) => candidate[name] === path.split('/').at(-1));
    return row === undefined ? { status: 404, json: { errors: [{ code: '10005' }] } } : { json: { data: row } };
  }

  return {
    answer(request: SeenRequest): Reply {
      const { path, query } = request;
      if (path === '/charges_summary') return { json: { data: summaryOf(query) } };
      if (path === '/charges_breakdown') return { json: { data: records.chargesBreakdownRecord() } };
      if (path === '/ai/missions') return pageReply(missions, request, 1_000);
      if (path === '/webhook_deliveries') return pageReply(deliveriesOf(request), request);
      if (path.startsWith('/ai/missions/')) return one(missions, 'mission_id', path);
      if (path.startsWith('/ip_connections/')) return one(connections, 'id', path);
      if (path.startsWith('/webhook_deliveries/')) return one(deliveries, 'id', path);
      const name = query['filter[connection_name]'];
      return pageReply(
        connections.filter((row) => name === undefined || row['connection_name'] === name),
        request,
      );
    },
    /** Rows come at the head, and some of the old ones go. */
    move(): void {
      connections.unshift(...rows(30, (index) => connection(index + 700, `new${index}`)));
      connections.splice(60, 5);
      missions.splice(37, 1);
    },
  };
}
