import { Kind, type DocumentNode } from 'graphql';
import { longestList } from '../bounds.ts';
import { recordIn } from '../json.ts';
import type { PageInfoResolvers } from '../generated/schema.ts';
import type { Anchor } from '../paging/anchor.ts';
import { connectionOf, countedConnection, type Connection, type Edge } from '../paging/connection.ts';
import { decodeCursor } from '../paging/cursor.ts';
import { directionOf, type Moment } from '../moment.ts';
import { sourceOfRows, type Source } from '../paging/source.ts';
import { readTotal, readWindow, type Reading } from '../paging/window-reading.ts';
import { windowOf, type WindowArguments } from '../paging/window.ts';
import type { Arguments, ListEndpoint } from '../upstream/endpoint.ts';
import { readThrough } from '../lists/scan.ts';
import type { Context, FieldInfo } from './context.ts';
import { listKeyOf, listSource, newestOf, rowReading, withOwn } from '../lists/list-source.ts';
import { createSelectionCheck } from './document.ts';
import { recordOf, unexpectedValue, type Site } from './schema/checked-value.ts';
import type { FieldResolvers } from './schema/schema.ts';

const selectsRows = createSelectionCheck('edges', 'nodes', 'pageInfo', 'offset');

/** Reads a page of a list. Where only `totalCount` is selected, it reads the length of the list with a call for one row. */
export async function loadConnection<Row>(
  endpoint: ListEndpoint<Row>,
  given: WindowArguments,
  { loaders, scanPages }: Context,
  info: FieldInfo,
): Promise<Connection<Row | null>> {
  const args = { ...given };
  const list = (): string => listKeyOf(endpoint, args);
  const window = windowOf(args, (cursor) => decodeCursor(list(), cursor));
  const isPage = selectsRows(info);
  const { newestArgument } = endpoint;
  /** The list without what is newer than a moment; with null as the caller asks for it. */
  const sourceUpTo = (moment: Moment | null): Source<Row | null> => {
    const { args: asked, ownArguments } = withOwn(args, newestArgument === undefined ? [] : [[newestArgument, moment]]);
    return listSource(endpoint, asked, loaders, { ownArguments, ...(isPage && { paging: args }) });
  };
  const cursor = window.after ?? window.before;
  let newest = cursor?.newest ?? null;
  let source = sourceUpTo(newest);
  if (!isPage) {
    const total = await readTotal(source);
    const isWhole = newest === null || !isShorter({ total }, cursor);
    return countedConnection(isWhole ? total : await readTotal(sourceUpTo(null)));
  }
  let reading = await readWindow(window, source, scanPages);
  const runsDown = (): boolean => (directionOf(reading.rows.map(source.momentOf)) ?? 1) < 1;
  if (newest !== null && (isShorter(reading, cursor) || !runsDown())) {
    // Rows may have gone. Or the list has rows that a bound in time keeps out: without a moment, or newer than those before them.
    newest = null;
    source = sourceUpTo(newest);
    reading = await readWindow(window, source, scanPages);
  }
  const beginsChain = cursor === null && reading.bounds.from === 0;
  return connectionOf(reading, {
    list,
    newest: (moments) => (beginsChain ? newestOf(endpoint, args, moments, reading.total) : newest),
  });
}

/** What the gateway itself chooses from a list, for which the API has no filter. */
interface OwnFilter<Row> {
  /** Names the filter in the cursors. */
  readonly key: string;
  readonly matches: (row: Row) => boolean;
}

/** As `loadConnection`, of the rows that the gateway's own filter lets through: the list is read through, within the bound of a search. */
export async function loadMatching<Row extends object>(
  endpoint: ListEndpoint<Row>,
  args: WindowArguments & Arguments,
  { loaders, scanPages }: Context,
  { key, matches }: OwnFilter<Row>,
): Promise<Connection<Row>> {
  const list = `${listKeyOf(endpoint, args)} ${key}`;
  const window = windowOf(args, (cursor) => decodeCursor(list, cursor));
  const all = await loaders.once(list, () => readThrough(endpoint, args, loaders, scanPages));
  const source = sourceOfRows(all.filter(matches), rowReading(endpoint));
  const reading = await readWindow(window, source, scanPages);
  return connectionOf(reading, { list: () => list, newest: () => null });
}

/** Whether a list may have fewer rows than when its cursor was made. */
function isShorter({ total }: Pick<Reading<unknown>, 'total'>, cursor: Anchor | null): boolean {
  return total === null || total < (cursor?.total ?? Infinity);
}

/** The resolvers of all connections, of their edges, and of what both say of the page. */
export function connectionFields(typeDefs: DocumentNode): FieldResolvers {
  const names = typeDefs.definitions.flatMap((each) =>
    each.kind === Kind.OBJECT_TYPE_DEFINITION ? each.name.value : [],
  );
  const rows = names.filter((name) => names.includes(`${name}Connection`));
  const byType = rows.flatMap((name) => [
    [`${name}Connection`, connectionType(`${name}Connection`)],
    [`${name}Edge`, edgeType(`${name}Edge`)],
  ]);
  return { ...Object.fromEntries(byType), PageInfo: pageInfo };
}

function connectionType(typeName: string) {
  const site: Site = { coordinate: `${typeName}.nodes`, wireName: 'an item of data' };
  return {
    edges: <Row>(connection: Connection<Row>): Edge<Row>[] =>
      connection.rows.map((_row, index) => ({ connection, index })),
    // An item that is no object is an error in its place, which the executor reports at the item's own path.
    nodes: ({ rows }: Connection<unknown>) =>
      rows.map((row) => recordIn(row) ?? unexpectedValue(site, 'an object', row)),
    pageInfo: (connection: Connection<unknown>): Connection<unknown> => connection,
    totalCount: ({ totalCount }: Connection<unknown>): number | null => intOf(totalCount),
    offset: ({ offset }: Connection<unknown>): number | null => intOf(offset),
  };
}

/** `offset` and `first` together may exceed an Int, where an upstream returns rows at any position. */
function intOf(count: number | null): number | null {
  return count !== null && count <= longestList ? count : null;
}

function edgeType(typeName: string) {
  const site: Site = { coordinate: `${typeName}.node`, wireName: 'an item of data' };
  return {
    cursor: ({ connection, index }: Edge<unknown>): string => connection.cursors.at(index),
    node: <Row>({ connection: { rows }, index }: Edge<Row>): Row => recordOf(rows[index] as Row, site),
  };
}

const pageInfo: PageInfoResolvers = {
  hasNextPage: (connection) => connection.hasNextPage,
  hasPreviousPage: (connection) => connection.hasPreviousPage,
  startCursor: ({ rows, cursors }) => (rows.length === 0 ? null : cursors.at(0)),
  endCursor: ({ rows, cursors, continuation }) =>
    continuation ?? (rows.length === 0 ? null : cursors.at(rows.length - 1)),
};
