import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './generated/graphql-env';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { Date: string; DateTime: string; Decimal: string; JSONObject: unknown };
}>();

export const Overview = graphql(`
  query Overview($startDate: Date!, $endDate: Date!) {
    chargesSummary(startDate: $startDate, endDate: $endDate) {
      total {
        grandTotal
      }
      summary {
        lines {
          __typename
          ... on SimpleLine {
            amount
          }
          ... on ComparativeLine {
            existingThisMonth {
              mrc
            }
          }
        }
      }
    }
    missions(first: 2) {
      totalCount
      edges {
        node {
          id
          createdAt
          metadata
        }
      }
    }
  }
`);
