import { getNamedType, isObjectType, type FieldNode, type GraphQLObjectType, type GraphQLResolveInfo } from 'graphql';
import type { Connection } from '../../../paging/connection.ts';
import type { Context } from '../../context.ts';
import { Uncovered, type Selection } from '../plan/selection.ts';
import type { Piece } from '../written-data.ts';
import { piecesOf, type TranscribedRow } from './rows.ts';

type Nodes = readonly [FieldNode, ...FieldNode[]];

/** A page of rows that the transcoder has shown. */
export type TranscribedConnection = Connection<TranscribedRow>;

/** Writes the part of the answer that a connection is. */
export type ShowConnection = (connection: TranscribedConnection, context: Context) => readonly Piece[];

/** What a connection shows in a place besides its rows: a text, or a value. */
type Place = string | ((connection: TranscribedConnection, context: Context) => unknown);

const rows = Symbol('rows');

/**
 * Compiles what is asked of a connection besides its rows, whose selection it hands back. Throws `Uncovered` where the rows are not asked
 * for, or more than once.
 */
export function compileConnection(type: GraphQLObjectType, nodes: Nodes, selection: Selection) {
  const places: (Place | typeof rows)[] = [];
  let row: { readonly type: GraphQLObjectType; readonly nodes: Nodes } | undefined;

  function add(of: GraphQLObjectType, ofNodes: Nodes): void {
    const sets = ofNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    let before = '';
    places.push('{');
    for (const [key, fieldNodes] of selection.fieldsOf(of, sets)) {
      places.push(`${before}${JSON.stringify(key)}:`);
      before = ',';
      addField(of, fieldNodes);
    }
    places.push('}');
  }

  function addField(of: GraphQLObjectType, fieldNodes: Nodes): void {
    const name = fieldNodes[0].name.value;
    if (name === '__typename') return void places.push(JSON.stringify(of.name));
    const field = of.getFields()[name];
    const returned = field && getNamedType(field.type);
    if (field?.resolve === undefined) throw new Uncovered();
    if (name === 'pageInfo' && isObjectType(returned)) return add(returned, fieldNodes);
    if (name === 'nodes' && isObjectType(returned) && row === undefined) {
      row = { type: returned, nodes: fieldNodes };
      return void places.push(rows);
    }
    if (isObjectType(returned)) throw new Uncovered();
    const { resolve } = field;
    // They read nothing of their `info`.
    const info = {} as GraphQLResolveInfo;
    return void places.push((connection, context) => resolve(connection, {}, context, info));
  }

  add(type, nodes);
  if (row === undefined) throw new Uncovered();
  return { row, show: showOf(places) };
}

function showOf(places: readonly (Place | typeof rows)[]): ShowConnection {
  return (connection, context) => {
    const pieces: Piece[] = [];
    let text = '';
    for (const place of places) {
      if (place === rows) {
        pieces.push(text, ...piecesOf(connection.rows));
        text = '';
      } else text += typeof place === 'string' ? place : JSON.stringify(place(connection, context));
    }
    pieces.push(text);
    return pieces;
  };
}
