import {
  getArgumentValues,
  getNamedType,
  isObjectType,
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
} from 'graphql';
import { defaultPageSize, largestPageSize, longestList } from '../../../bounds.ts';
import { positionOf } from '../../../paging/cursor.ts';
import { getChargesBreakdown } from '../../../resources/charges-breakdown.ts';
import type { Run } from '../plan/run.ts';
import { Uncovered } from '../plan/selection.ts';
import type { ByteField, ByteFieldSource } from './byte-field.ts';
import type { Piece } from '../written-data.ts';
import { compileConnection } from './connection.ts';
import type { ShowConnection, TranscribedConnection } from './connection-place.ts';
import { mostRowNotes } from './memory.ts';
import { bareShape } from './resolved-fields.ts';
import { createRowType, unread, type TranscribedRow } from './rows.ts';
import { absences, bodies, kinds, type Entry } from './layout.ts';
import { Members } from './members.ts';
import { ShapeCompiler } from './shapes.ts';
import { TableWriter } from './tables.ts';
import type { Transcript } from './transcript.ts';

const listName = 'results';
const rowName = 'tn';
// What the cursors of the rows are tied to.
const ownerNames = ['user_id', 'start_date', 'end_date'] as const;

const makeRow = createRowType(rowName, null);

/** A report as the resolver of its list reads it. */
interface TranscribedReport {
  readonly transcript: Transcript;
  readonly results: readonly TranscribedRow[];
}

/** A part of the answer: a text, and the member behind it; null where the text is all. */
interface Place {
  readonly text: string;
  readonly member: number | null;
}

/** The list of a report, which is cut here. */
interface ReportList {
  readonly entry: Entry;
  readonly row: number;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly show: ShowConnection;
}

/**
 * Compiles a report whose list is asked for once. The transcoder shows as many rows as a page may have, from where the arguments say
 * that it begins; a page that begins elsewhere is for the JSON plan.
 */
export function compileReport(source: ByteFieldSource): ByteField {
  const { type, nodes, selection } = source;
  const field = type.getFields()[listName];
  if (field === undefined) throw new Uncovered();
  const tables = new TableWriter();
  const shapes = new ShapeCompiler(source, tables);
  const members = new Members();
  const places: Place[] = [];
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  let list: ReportList | undefined;

  function listOf(ofNodes: ReportList['nodes']): ReportList {
    const returned = field && getNamedType(field.type);
    if (list !== undefined || !isObjectType(returned) || isSelective(ofNodes)) throw new Uncovered();
    const { row, show } = compileConnection(returned, ofNodes, selection);
    const { shape, watched } = shapes.object(row.type, row.nodes, [{ name: rowName, kind: kinds.text }]);
    const rowKey = bareShape(tables, [{ name: rowName, shape: tables.leaf(kinds.any), absence: absences.null }]);
    const entry = { name: listName, shape: tables.window(shape, rowKey), absence: absences.refused };
    return { entry, row: watched[0] ?? 0, nodes: ofNodes, show };
  }

  for (const [key, fieldNodes] of selection.fieldsOf(type, sets)) {
    const text = `${places.length === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    const isList = fieldNodes[0].name.value === listName;
    if (isList) list = listOf(fieldNodes);
    const member = isList && list !== undefined ? list.entry : shapes.member(type, fieldNodes);
    if ('of' in member) throw new Uncovered();
    if ('text' in member) places.push({ text: text + member.text, member: null });
    else places.push({ text, member: members.add(member) });
  }
  if (list === undefined) throw new Uncovered();
  const owners = ownerNames.map((name) => members.watch({ name, shape: tables.leaf(kinds.any) }));
  const { entries } = members.end();
  const written = tables.finish(bodies.parts, tables.object({ entries, emissions: [], tail: '' }), list.row, list.row);
  return fieldOf(
    list,
    field,
    places,
    { tables: written, parts: entries.length, list: members.add(list.entry) },
    owners,
  );
}

/** Whether it asks for rows by what they hold, which bytes do not tell. */
function isSelective([{ arguments: args = [] }]: ReportList['nodes']): boolean {
  return args.some(({ name }) => name.value === 'filter' || name.value === 'orderBy');
}

function fieldOf(
  { nodes, show }: ReportList,
  field: GraphQLField<unknown, unknown>,
  places: readonly Place[],
  request: { readonly tables: Buffer; readonly parts: number; readonly list: number },
  owners: readonly number[],
): ByteField {
  const argumentsOf = ({ variables }: Run) => getArgumentValues(field, nodes[0], variables);
  return {
    endpoint: getChargesBreakdown,
    tableBytes: request.tables.length,
    requestFor(run) {
      const { first, after, offset } = argumentsOf(run);
      // Where a page begins otherwise, its resolver asks for rows that are not shown.
      const behind = typeof after === 'string' ? (positionOf(after) ?? -1) + 1 : 0;
      return {
        ...request,
        firstRow: typeof offset === 'number' ? Math.min(Math.max(0, offset), longestList) : behind,
        mostRows: typeof first === 'number' ? Math.min(Math.max(0, first), largestPageSize) : defaultPageSize,
      };
    },
    bodyOf(transcript): TranscribedReport {
      // Of rows without notes nothing can be read: one stands for all of them.
      const beyond = makeRow(transcript, mostRowNotes);
      const results = Array.from({ length: transcript.count }, (_, index) =>
        index < mostRowNotes ? makeRow(transcript, index) : beyond,
      );
      const told = ownerNames.map((name, index) => [name, valueOf(transcript.parts[owners[index] ?? 0])]);
      // What else the report holds has not been read.
      return Object.assign(Object.create(unread) as TranscribedReport, Object.fromEntries(told), {
        results,
        transcript,
      });
    },
    async show(report, run) {
      const { transcript } = report as TranscribedReport;
      const info = { ...run.info(0), fieldNodes: nodes } as unknown as GraphQLResolveInfo;
      const connection = await field.resolve?.(report, argumentsOf(run), run.context, info);
      const pieces: Piece[] = [];
      for (const { text, member } of places) {
        pieces.push(text);
        if (member === request.list) pieces.push(...show(connection as TranscribedConnection, run.context));
        else if (member !== null) pieces.push(transcript.parts[member] as Piece);
      }
      pieces.push('}');
      return pieces;
    },
  };
}

function valueOf(piece: Piece = ''): unknown {
  return JSON.parse(Buffer.from(piece as string, 'latin1').toString('utf8'));
}
