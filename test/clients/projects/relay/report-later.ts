import { graphql } from 'relay-runtime';

/** A list at once, and a slow report when it is there. */
export const query = (): unknown => graphql`
  query reportLaterQuery {
    missions(first: 1) {
      totalCount
    }
    ...reportLater_report @defer(label: "report")
  }
`;

export const report = (): unknown => graphql`
  fragment reportLater_report on Query {
    chargesBreakdown(startDate: "2026-10-01") {
      currency
    }
  }
`;
