import type { ArgumentPath } from '../errors.ts';
import { identifierOf } from '../json.ts';
import { directionOf, momentOf, type Moment } from '../moment.ts';
import type { Page } from '../paging/page-cover.ts';
import { ServedSizes, type CallBudget, type RowReading, type Source } from '../paging/source.ts';
import type { WindowArguments } from '../paging/window.ts';
import { createCall, givenAt } from '../upstream/call.ts';
import type { Arguments, ListEndpoint } from '../upstream/endpoint.ts';
import type { Loaders } from './loaders.ts';

/** The text that the cursors of a list are tied to: its endpoint, filter and order. */
export function listKeyOf<Row>(endpoint: ListEndpoint<Row>, args: Arguments): string {
  return `${endpoint.name}?${createCall(endpoint, args).queryString}`;
}

interface SourceOptions {
  /** The calls that the reading may take; absent: any number. */
  readonly budget?: CallBudget;
  /** The page sizes that are known already; absent: none but the endpoint's limit. */
  readonly sizes?: ServedSizes;
  /** Arguments that the gateway set or changed. */
  readonly ownArguments?: readonly ArgumentPath[];
  /** The arguments that ask for the page which is read; absent where the gateway chooses what it reads. */
  readonly paging?: WindowArguments;
}

/** A list of the upstream as a source for paging, on behalf of one request. */
export function listSource<Row>(
  endpoint: ListEndpoint<Row>,
  args: Arguments,
  loaders: Loaders,
  { budget, sizes = new ServedSizes(endpoint.pageLimit), ownArguments = [], paging = {} }: SourceOptions = {},
): Source<Row | null> {
  const violation = { coordinate: endpoint.coordinate, kind: 'contradiction' } as const;
  return {
    sizes,
    fetchPage: async (page, fresh) => {
      const request = { ...page, ...blamedArguments(paging, page) };
      const { rows, meta } = await loaders.load(endpoint, args, request, { fresh, budget, ownArguments });
      return { ...meta, rows };
    },
    ...rowReading(endpoint),
    noteContradiction: () => loaders.noteViolation(violation),
    ...(budget !== undefined && { budget }),
  };
}

/** How the rows of an endpoint's list are told from each other, and put in the order of time. */
export function rowReading<Row>({ idName, timeName }: ListEndpoint<Row>): RowReading<Row | null> {
  return {
    identityOf: (row) => identifierOf(row?.[idName]) ?? null,
    momentOf: (row) => momentOf(row?.[timeName]),
  };
}

/**
 * The newest of these moments, with which a chain of pages begins, to keep later rows out of it. Null where the list needs none, where the
 * caller has bounded it already, and where the rows do not show that they run newest first, or nothing tells how many there are, so that
 * only the anchors can be relied on: a list that the bound made shorter would not be noticed. Rows that are all of one moment show the
 * order where they are the whole list.
 */
export function newestOf<Row>(
  endpoint: ListEndpoint<Row>,
  args: Arguments,
  moments: readonly (Moment | null)[],
  total: number | null,
): Moment | null {
  const { newestArgument } = endpoint;
  if (newestArgument === undefined || total === null || givenAt(args, newestArgument) != null) return null;
  const direction = directionOf(moments);
  // A list that begins with its oldest row would end there.
  const runsDown = direction === -1 || (direction === 0 && moments.length === total);
  return runsDown ? (moments[0] ?? null) : null;
}

/** Arguments as they are sent, and which of them are not the caller's. */
export interface OwnedArguments {
  readonly args: Arguments;
  readonly ownArguments: readonly ArgumentPath[];
}

/** The caller's arguments with some that the gateway sets or changes; those with null stay as they are. */
export function withOwn(
  args: Arguments,
  own: readonly (readonly [path: ArgumentPath, value: unknown])[],
): OwnedArguments {
  const set = own.filter(([, value]) => value !== null);
  return {
    args: set.reduce((changed, [path, value]) => withValueAt(changed, path, value), args),
    ownArguments: set.map(([path]) => path),
  };
}

function withValueAt(args: Arguments, [name, ...rest]: ArgumentPath, value: unknown): Arguments {
  if (name === undefined) return args;
  const member = args[name];
  // Of what is written in the query, graphql-js makes objects without a prototype.
  const inner = typeof member === 'object' && member !== null ? (member as Arguments) : {};
  return { ...args, [name]: rest.length === 0 ? value : withValueAt(inner, rest, value) };
}

/**
 * The arguments that an error about `page[size]` or `page[number]` blames: for the size `first`, where the page has as many rows as it
 * asks for; for the number the offset or the cursor that leads to the page.
 */
function blamedArguments(paging: WindowArguments, { number, size }: Page) {
  const leading = (['after', 'before', 'offset'] as const).find((name) => Boolean(paging[name]));
  return {
    numberArgument: number > 1 && leading !== undefined ? [leading] : undefined,
    sizeArgument: size === paging.first ? ['first'] : undefined,
  };
}
