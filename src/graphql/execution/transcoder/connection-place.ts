import type { GraphQLField, GraphQLResolveInfo } from 'graphql';
import type { Connection } from '../../../paging/connection.ts';
import type { Context } from '../../context.ts';
import type { Piece } from '../written-data.ts';
import { pieceOf, type TranscribedRow } from './rows.ts';
import { GaveUp } from './transcript.ts';

/** A page of rows that the transcoder has shown. */
export type TranscribedConnection = Connection<TranscribedRow>;

/** Writes the part of the answer that a connection is. */
export type ShowConnection = (connection: TranscribedConnection, context: Context) => readonly Piece[];

/** A part of the answer: a text that is always the same, or what writes it. */
export type Place = string | ShowConnection;

/** The two fields of an edge. */
export const edgeCursor = Symbol('cursor');
export const edgeNode = Symbol('node');

/** A part of an edge: a text that is always the same, or one of its fields. */
export type EdgePlace = string | typeof edgeCursor | typeof edgeNode;

/** Writes what a resolver returns for a connection, a number or a text. */
export function leafOf(resolve: NonNullable<GraphQLField<unknown, unknown>['resolve']>): ShowConnection {
  return (connection, context) => {
    // They read nothing of their `info`.
    const value: unknown = resolve(connection, {}, context, {} as GraphQLResolveInfo);
    if (value === undefined || (typeof value === 'object' && value !== null)) throw new GaveUp('rows');
    return [JSON.stringify(value)];
  };
}

/** Writes the list of edges. */
export function showEdges(places: readonly EdgePlace[]): ShowConnection {
  return ({ rows, cursorAt }) => {
    if (rows.length === 0) return ['[]'];
    const pieces: Piece[] = [];
    let text = '';
    for (const [index, row] of rows.entries()) {
      text += index === 0 ? '[' : ',';
      for (const place of places) {
        if (place === edgeCursor) text += JSON.stringify(cursorAt(index));
        else if (place === edgeNode) {
          pieces.push(text, pieceOf(row));
          text = '';
        } else text += place;
      }
    }
    return [...pieces, `${text}]`];
  };
}

/** Writes one place behind the other. */
export function joined(places: readonly Place[]): ShowConnection {
  return (connection, context) => {
    const pieces: Piece[] = [];
    let text = '';
    for (const place of places) {
      if (typeof place === 'string') {
        text += place;
        continue;
      }
      for (const piece of place(connection, context)) {
        if (typeof piece === 'string') text += piece;
        else {
          pieces.push(text, piece);
          text = '';
        }
      }
    }
    pieces.push(text);
    return pieces;
  };
}
