import { getNamedType, isObjectType } from 'graphql';
import { getChargesSummary } from '../../../resources/charges-summary.ts';
import { listIpConnections } from '../../../resources/ip-connection.ts';
import { listMissions } from '../../../resources/mission.ts';
import { listWebhookDeliveries } from '../../../resources/webhook-delivery.ts';
import type { Endpoint, ListEndpoint } from '../../../upstream/endpoint.ts';
import { Uncovered } from '../plan/selection.ts';
import type { ByteField, ByteFieldSource } from './byte-field.ts';
import { compileConnection } from './connection.ts';
import type { TranscribedConnection } from './connection-place.ts';
import { compileReport } from './report-field.ts';
import { bodies, kinds } from './layout.ts';
import { createRowType, type MakeRow, type TranscribedRow } from './rows.ts';
import { ShapeCompiler } from './shapes.ts';
import { TableWriter } from './tables.ts';
import type { Transcript } from './transcript.ts';

type Compile = (source: ByteFieldSource) => ByteField;

const fields: Readonly<Record<string, Compile>> = {
  ipConnections: listCompiler(listIpConnections),
  missions: listCompiler(listMissions),
  webhookDeliveries: listCompiler(listWebhookDeliveries),
  chargesSummary: (source) => compileRecord(getChargesSummary, source),
  chargesBreakdown: compileReport,
};

/** Compiles a field of the root. Throws `Uncovered` where bytes cannot tell all that is asked of it. */
export function compileByteField(name: string, source: Omit<ByteFieldSource, 'type'>): ByteField {
  const field = source.schema.getQueryType()?.getFields()[name];
  const type = field && getNamedType(field.type);
  const compile = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (compile === undefined || !isObjectType(type)) throw new Uncovered();
  return compile({ ...source, type });
}

/** Compiles a field that returns a list of this endpoint. All documents have rows of one type: V8 reads those of many slowly. */
function listCompiler<Row>(endpoint: ListEndpoint<Row>): Compile {
  const makeRow = createRowType(endpoint.idName, endpoint.timeName);
  return (source) => compileList(endpoint, makeRow, source);
}

function compileList<Row>(endpoint: ListEndpoint<Row>, makeRow: MakeRow, source: ByteFieldSource): ByteField {
  const { type, nodes, selection } = source;
  const { row, show } = compileConnection(type, nodes, selection);
  const tables = new TableWriter();
  const { shape, watched } = new ShapeCompiler(source, tables).object(row.type, row.nodes, [
    { name: endpoint.idName, kind: kinds.text },
    { name: endpoint.timeName, kind: kinds.text },
  ]);
  const request = {
    tables: tables.finish(bodies.page, shape, ...watched),
    parts: 0,
    list: -1,
    firstRow: 0,
    mostRows: 0,
  };
  return {
    endpoint,
    tableBytes: request.tables.length,
    requestFor: () => request,
    bodyOf(transcript) {
      const rows: TranscribedRow[] = [];
      for (let index = 0; index < transcript.count; index++) rows.push(makeRow(transcript, index));
      return { rows, meta: transcript.meta };
    },
    show: (connection, { context }) => show(connection as TranscribedConnection, context),
  };
}

function compileRecord(endpoint: Endpoint<unknown>, source: ByteFieldSource): ByteField {
  const { type, nodes } = source;
  const tables = new TableWriter();
  const { shape } = new ShapeCompiler(source, tables).object(type, nodes);
  const request = { tables: tables.finish(bodies.record, shape), parts: 0, list: -1, firstRow: 0, mostRows: 0 };
  return {
    endpoint,
    tableBytes: request.tables.length,
    requestFor: () => request,
    bodyOf: (transcript) => transcript,
    show: (transcript) => [(transcript as Transcript).shown],
  };
}
