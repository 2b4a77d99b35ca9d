import type { ArgumentPath } from '../errors.ts';
import { directionOf, momentOf, timestampOf, type Moment } from '../paging/moment.ts';
import type { Source } from '../paging/source.ts';
import type { WindowArguments } from '../paging/window.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { valueAt, type Arguments } from '../upstream/arguments.ts';
import { createCall } from '../upstream/call.ts';
import type { ListOperation } from '../upstream/operation.ts';

/** What the cursors of a list are tied to: its operation, filter and order, in one text. */
export function listOf<Row>(operation: ListOperation<Row>, args: Arguments): string {
  return `${operation.name}?${createCall(operation, args).queryString}`;
}

/** A list of the upstream as the paging arithmetic reads it, on behalf of one request. */
export function listSource<Row>(
  operation: ListOperation<Row>,
  args: WindowArguments & Arguments,
  loaders: Loaders,
): Source<Row | null> {
  const blame = blamedArguments(args);
  return {
    pageLimit: operation.pageLimit,
    fetchPage: async (page, fresh) => {
      const { rows, meta } = await loaders.load(operation, args, { ...page, ...blame }, fresh);
      return { rows, ...meta };
    },
    identityOf: (row) => textOf(row?.[operation.idName]),
    momentOf: (row) => momentOf(row?.[operation.timeName]),
    timeOrder: operation.timeOrder(args),
  };
}

/**
 * The pin of a chain of pages that begins with these rows: their newest moment. Null where the list needs none, where the
 * caller has bounded it already, and where the rows do not show that they run newest first, so that only the anchors can
 * be relied on. Rows that are all of one moment show it where they are the whole list.
 */
export function pinOf<Row>(
  operation: ListOperation<Row>,
  args: Arguments,
  rows: readonly (Row | null)[],
  total: number | null,
): Moment | null {
  const { newestArgument, timeName } = operation;
  if (newestArgument === undefined || valueAt(args, newestArgument) != null) return null;
  const moments = rows.map((row) => momentOf(row?.[timeName]));
  const direction = directionOf(moments);
  // A list that begins with its oldest row would end there.
  const runsDown = direction === -1 || (direction === 0 && rows.length === total);
  return runsDown ? (moments[0] ?? null) : null;
}

/** The arguments that keep what is newer than the pin out of the list. */
export function pinned<Row>(operation: ListOperation<Row>, args: Arguments, pin: Moment | null): Arguments {
  const { newestArgument } = operation;
  return pin === null || newestArgument === undefined ? args : withValueAt(args, newestArgument, timestampOf(pin));
}

function withValueAt(args: Arguments, [name, ...rest]: ArgumentPath, value: string): Arguments {
  if (name === undefined) return args;
  const member = args[name];
  const inner = typeof member === 'object' && member !== null ? (member as Arguments) : {};
  return { ...args, [name]: rest.length === 0 ? value : withValueAt(inner, rest, value) };
}

/** Where an error about `page[size]` or `page[number]` belongs, from the caller's point of view. */
function blamedArguments(args: WindowArguments) {
  const given = (names: readonly (keyof WindowArguments)[]): [string] | undefined => {
    const name = names.find((candidate) => args[candidate] != null);
    return name === undefined ? undefined : [name];
  };
  return { numberArgument: given(['offset', 'after', 'before']), sizeArgument: given(['first', 'last']) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
