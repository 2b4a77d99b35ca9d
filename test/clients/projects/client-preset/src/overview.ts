import { graphql } from './generated';

export const Overview = graphql(`
  query Overview($startDate: Date!, $endDate: Date!, $after: String) {
    chargesSummary(startDate: $startDate, endDate: $endDate) {
      total {
        grandTotal
      }
      summary {
        lines {
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
`);
