import type { GraphQLResolveInfo } from 'graphql';
import type { GatewayError } from '../../errors.ts';
import type { PageInfoResolvers } from '../../generated/schema.ts';
import { connectionOf, countedConnection, type Connection, type Edge } from '../../paging/connection.ts';
import { decodeCursor } from '../../paging/cursor.ts';
import { readTotal, readWindow, type FetchPage } from '../../paging/reading.ts';
import { windowOf, type WindowArguments } from '../../paging/window.ts';
import { createCall } from '../../upstream/call.ts';
import type { ListOperation } from '../../upstream/operation.ts';
import type { Context } from '../context.ts';
import { selects } from '../selection.ts';
import { itemOf, recordOf } from '../wire.ts';

/** Reads a page of a list operation; only its length, with a call for one row, where nothing else is selected. */
export async function loadConnection<Row>(
  operation: ListOperation<Row>,
  args: WindowArguments,
  { loaders }: Context,
  info: GraphQLResolveInfo,
): Promise<Connection<Row | null>> {
  const { queryString } = createCall(operation, { ...args });
  const list = `${operation.name}?${queryString}`;
  const window = windowOf(args, (cursor) => decodeCursor(list, cursor));
  const blame = blamedArguments(args);
  const fetchPage: FetchPage<Row | null> = async (page) => {
    const { rows, meta } = await loaders.load(operation, { ...args }, { ...page, ...blame });
    return { rows, ...meta };
  };
  if (!selects(info, 'edges', 'nodes', 'pageInfo')) return countedConnection(list, await readTotal(fetchPage));
  return connectionOf(list, await readWindow(window, operation.pageLimit, fetchPage));
}

/** Where an error about `page[size]` or `page[number]` belongs, from the caller's point of view. */
function blamedArguments(args: WindowArguments) {
  const given = (names: readonly (keyof WindowArguments)[]): [string] | undefined => {
    const name = names.find((candidate) => args[candidate] != null);
    return name === undefined ? undefined : [name];
  };
  return { numberArgument: given(['offset', 'after', 'before']), sizeArgument: given(['first', 'last']) };
}

/** The resolvers of every connection type: the same for each noun. */
export const connectionType = {
  edges: <Row>(connection: Connection<Row>): Edge<Row>[] =>
    connection.rows.map((_row, index) => ({ connection, index })),
  // An item that is no record is an error in its place, which the executor reports at the item's own path.
  nodes: <Row>({ rows }: Connection<Row>): Row[] => rows.map(itemOf) as (Row | GatewayError)[] as Row[],
  pageInfo: (connection: Connection<unknown>): Connection<unknown> => connection,
  totalCount: ({ totalCount }: Connection<unknown>): number | null => totalCount,
};

/** The resolvers of every edge type. */
export const edgeType = {
  cursor: ({ connection, index }: Edge<unknown>): string => connection.cursorAt(index),
  node: <Row>({ connection, index }: Edge<Row>): Row => recordOf(connection.rows[index] as Row),
};

export const pageInfo: PageInfoResolvers<Context> = {
  hasNextPage: (connection) => connection.hasNextPage,
  hasPreviousPage: (connection) => connection.hasPreviousPage,
  startCursor: ({ rows, cursorAt }) => (rows.length === 0 ? null : cursorAt(0)),
  endCursor: ({ rows, cursorAt }) => (rows.length === 0 ? null : cursorAt(rows.length - 1)),
};
