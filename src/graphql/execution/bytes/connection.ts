import {
  getNamedType,
  isLeafType,
  isObjectType,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
} from 'graphql';
import type { Connection } from '../../../paging/connection.ts';
import { objectOf, type RowsShape } from '../../../transcoder/tables.ts';
import type { Context } from '../../context.ts';
import { Uncovered } from '../plan/selection.ts';
import type { RecordShapes } from './record-shape.ts';
import { GaveUp, spanOf, writeRows, type PieceWriter, type TranscribedRow } from './rows.ts';

type Nodes = readonly [FieldNode, ...FieldNode[]];
/** A page of rows that the transcoder has written. */
export type TranscribedConnection = Connection<TranscribedRow>;
type Write = (connection: TranscribedConnection, context: Context, answer: PieceWriter) => void;

/** A connection: the rows that the transcoder writes of it, and what writes the rest around them. */
export interface ConnectionShape {
  readonly rows: Omit<RowsShape, 'kind'>;
  readonly write: Write;
}

/** Compiles what is asked of a connection. Throws `Uncovered` where its rows are asked for twice. */
export function compileConnection(
  type: GraphQLObjectType,
  nodes: Nodes,
  shapes: RecordShapes,
  handedOut: readonly string[],
): ConnectionShape {
  const compiler = new ConnectionCompiler(shapes, handedOut);
  const write = compiler.write(type, nodes);
  const empty = { row: { kind: 'record', members: [], tail: '', handedOut } as const, before: '', behind: '' };
  return { rows: compiler.rows ?? empty, write };
}

class ConnectionCompiler {
  rows: ConnectionShape['rows'] | null = null;
  readonly #shapes: RecordShapes;
  readonly #handedOut: readonly string[];

  constructor(shapes: RecordShapes, handedOut: readonly string[]) {
    this.#shapes = shapes;
    this.#handedOut = handedOut;
  }

  /** What writes an object of a type. */
  write(type: GraphQLObjectType, nodes: Nodes): Write {
    const fields = [...this.#shapes.fieldsOf(type, nodes)].map(
      ([key, fieldNodes]) => [key, this.#part(type, fieldNodes)] as const,
    );
    const { parts, tail } = objectOf<{ readonly write: Write }>(fields);
    return (connection, context, answer) => {
      for (const { before, write } of parts) {
        answer.add(before);
        write(connection, context, answer);
      }
      answer.add(tail);
    };
  }

  #part(type: GraphQLObjectType, nodes: Nodes): { readonly text: string } | { readonly write: Write } {
    const name = nodes[0].name.value;
    if (name === '__typename') return { text: JSON.stringify(type.name) };
    const field = type.getFields()[name];
    const returned = field && getNamedType(field.type);
    if (field?.resolve === undefined || field.args.length > 0) throw new Uncovered();
    if (isLeafType(returned)) return { write: leafOf(field.resolve) };
    if (!isObjectType(returned)) throw new Uncovered();
    if (name === 'pageInfo') return { write: this.write(returned, nodes) };
    if (name === 'edges') return { write: this.#edges(returned, nodes) };
    if (name !== 'nodes') throw new Uncovered();
    this.#noteRows(returned, nodes, '', '');
    return { write: showRows };
  }

  #edges(type: GraphQLObjectType, nodes: Nodes): Write {
    let node: { readonly type: GraphQLObjectType; readonly nodes: Nodes } | null = null;
    const fields = [...this.#shapes.fieldsOf(type, nodes)].map(([key, fieldNodes]) => {
      const name = fieldNodes[0].name.value;
      if (name === '__typename') return [key, { text: JSON.stringify(type.name) }] as const;
      const returned = getNamedType(type.getFields()[name]?.type);
      if (name === 'cursor') return [key, { isCursor: true }] as const;
      if (name !== 'node' || node !== null || !isObjectType(returned)) throw new Uncovered();
      node = { type: returned, nodes: fieldNodes };
      return [key, { isCursor: false }] as const;
    });
    const { parts, tail } = objectOf<{ readonly isCursor: boolean }>(fields);
    const row = node as { readonly type: GraphQLObjectType; readonly nodes: Nodes } | null;
    const only = parts.length === 1 && row !== null ? parts[0] : undefined;
    // Without cursors between them, the transcoder writes all of the edges.
    if (row !== null) this.#noteRows(row.type, row.nodes, only?.before ?? '', only === undefined ? '' : tail);
    if (only !== undefined) return showRows;
    return ({ rows, cursorAt }, _context, answer) => {
      answer.add('[');
      for (let index = 0; index < rows.length; index++) {
        if (index > 0) answer.add(',');
        for (const { before, isCursor } of parts) {
          answer.add(before);
          answer.add(isCursor ? JSON.stringify(cursorAt(index)) : spanOf(rows[index] as TranscribedRow));
        }
        answer.add(tail);
      }
      answer.add(']');
    };
  }

  #noteRows(type: GraphQLObjectType, nodes: Nodes, before: string, behind: string): void {
    if (this.rows !== null) throw new Uncovered();
    this.rows = { row: this.#shapes.record(type, nodes, this.#handedOut), before, behind };
  }
}

const showRows: Write = ({ rows }, _context, answer) => writeRows(rows, answer);

/** Writes what a resolver returns for a connection, a number or a text. */
function leafOf(resolve: NonNullable<GraphQLField<unknown, unknown>['resolve']>): Write {
  return (connection, context, answer) => {
    // They read nothing of their `info`.
    const value: unknown = resolve(connection, {}, context, {} as GraphQLResolveInfo);
    if (value === undefined || (typeof value === 'object' && value !== null)) throw new GaveUp('rows');
    answer.add(JSON.stringify(value));
  };
}
