import { createClient, type QueryGenqlSelection } from './generated';

/** What the page shows: the bill of a period, and some missions. */
const overviewOf = (startDate: string, endDate: string, after: string | null) =>
  ({
    chargesSummary: {
      __args: { startDate, endDate },
      total: { grandTotal: true },
      summary: {
        lines: {
          __typename: true,
          on_SimpleLine: { name: true, amount: true },
          on_ComparativeLine: { name: true, existingThisMonth: { mrc: true } },
        },
      },
    },
    missions: {
      __args: { first: 2, after },
      totalCount: true,
      edges: { node: { id: true, createdAt: true, metadata: true } },
      pageInfo: { hasNextPage: true, endCursor: true },
    },
  }) satisfies QueryGenqlSelection;

/** A function that reads it with one caller's key. */
export function createReader(url: string, key: string) {
  const client = createClient({ url, headers: { Authorization: `Bearer ${key}` } });
  return (startDate: string, endDate: string, after: string | null = null) =>
    client.query(overviewOf(startDate, endDate, after));
}
