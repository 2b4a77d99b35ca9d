import { graphql } from './generated';

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
