import { expect, type Gateway } from '../../support/gateway.ts';
import type { Kind } from '../../lists/look-up/kind.ts';
import type { SeenRequest } from '../../support/scripted-upstream.ts';

/** What came of a reading: what was read, or the code of the error that came instead. */
export type Outcome = string | null | number | boolean | readonly (string | undefined)[];

interface Read {
  readonly data: Outcome;
  readonly message: string | null;
}

/** Asks for one value; an error must not be the caller's. */
async function read(gateway: Gateway, document: string, valueOf: (data: never) => Outcome): Promise<Read> {
  const { data, errors } = await gateway.query(document);
  const [error] = errors;
  if (error === undefined) return { data: valueOf(data as never), message: null };
  expect(error.extensions.argument, error.message).toBe(undefined);
  return { data: error.extensions.code, message: error.message };
}

interface Page {
  readonly list: {
    readonly nodes: readonly { readonly id: string }[];
    readonly totalCount: number | null;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

/** One caller's way to read a list of some kind. */
export function createReader(gateway: Gateway, { field, list }: Kind) {
  const idsOf = ({ list: { nodes } }: Page): readonly string[] => nodes.map(({ id }) => id);
  const pageBy = (args: string): string =>
    `{ list: ${list}(${args}) { nodes { id } totalCount pageInfo { hasNextPage endCursor } } }`;
  return {
    /** The ids of one page. */
    page: (args: string): Promise<Read> => read(gateway, pageBy(args), idsOf),
    count: (): Promise<Read> =>
      read(gateway, `{ list: ${list} { totalCount } }`, ({ list: { totalCount } }: Page) => totalCount),
    id: (id: string): Promise<Read> =>
      read(
        gateway,
        `{ row: ${field}(id: "${id}") { id } }`,
        ({ row }: { readonly row: { readonly id: string } | null }) => row?.id ?? null,
      ),
    /** The ids of all pages, one behind the other until there is no next one; so far, with the message, where there is an error. */
    async walk(first: number): Promise<Read> {
      const ids: string[] = [];
      for (let cursor = ''; ;) {
        const { data, errors } = await gateway.query(pageBy(`first: ${first}${cursor && `, after: "${cursor}"`}`));
        const [error] = errors;
        if (error !== undefined) expect(error.extensions.argument, error.message).toBe(undefined);
        if (error !== undefined) return { data: ids, message: `${error.extensions.code}: ${error.message}` };
        ids.push(...idsOf(data));
        if (!data.list.pageInfo.hasNextPage) return { data: ids, message: null };
        cursor = data.list.pageInfo.endCursor;
      }
    },
  };
}

/** The largest page that was asked for. */
export const largestSize = (requests: readonly SeenRequest[]): number =>
  Math.max(...requests.map(({ query }) => Number(query['page[size]'])));
