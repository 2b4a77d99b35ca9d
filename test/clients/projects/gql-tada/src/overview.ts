import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './generated/graphql-env';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { Date: string; DateTime: string; Decimal: string; JSONObject: unknown };
}>();

export const Line = graphql(`
  fragment Line on SummaryLine {
    __typename
    ... on SimpleLine {
      name
      amount
    }
    ... on ComparativeLine {
      name
      existingThisMonth {
        mrc
      }
    }
  }
`);

export const Overview = graphql(
  `
    query Overview($startDate: Date!, $endDate: Date!, $after: String) {
      chargesSummary(startDate: $startDate, endDate: $endDate) {
        total {
          grandTotal
        }
        summary {
          lines {
            ...Line
          }
        }
      }
      missions(first: 2, after: $after) {
        totalCount
        edges {
          node {
            id
            createdAt
            metadata
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [Line],
);
