import type { Gateway } from '../support/gateway.ts';
import type { Noun } from './noun.ts';

/** What a query was answered, and what it cost. */
export interface Answer {
  // Tests read answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
  readonly errors: readonly AnswerError[];
  readonly cost: { readonly estimated: number; readonly upstreamCalls: number };
}

export interface AnswerError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly argument?: unknown };
}

const isTold = process.env['LYING_ONLY'] !== undefined;

/** One caller of the gateway. */
export type Ask = (document: string, variables?: Readonly<Record<string, unknown>>) => Promise<Answer>;

/** Queries with a key of one's own, so that what an upstream answers can be told by it. */
export function askWith(gateway: Gateway, key: string): Ask {
  return async (document, variables) => {
    const { text } = await gateway.query(document, {
      key,
      headers: { 'x-cost': '1' },
      ...(variables && { variables }),
    });
    const { data, errors = [], extensions } = JSON.parse(text);
    if (isTold) console.log(JSON.stringify({ document, variables, errors, data }));
    return { data, errors, cost: extensions?.cost ?? { estimated: 0, upstreamCalls: 0 } };
  };
}

/** What a page is asked for with. */
export interface Window {
  readonly first?: number;
  readonly after?: string;
  readonly last?: number;
  readonly before?: string;
  readonly offset?: number;
}

/** A page as a client sees it. */
export interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly totalCount: number | null;
  readonly offset: number | null;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** Asks for one page of a list. */
export const pageQuery = ({ list }: Noun): string => /* GraphQL */ `
  query ($first: Int, $after: String, $last: Int, $before: String, $offset: Int) {
    list: ${list}(first: $first, after: $after, last: $last, before: $before, offset: $offset) {
      nodes {
        id
      }
      totalCount
      offset
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`;
