import { graphql } from 'relay-runtime';

// Sources of the compiler, as a frontend writes them: a bundler's plugin would put the artifacts in their place. Here
// nothing runs this file, and the test takes the artifacts themselves.

/** A screen with the list of connections. */
export const query = (): unknown => graphql`
  query ipConnectionListQuery($first: Int!, $filter: IpConnectionFilter, $orderBy: IpConnectionOrder) {
    ...ipConnectionList_query @arguments(first: $first, filter: $filter, orderBy: $orderBy)
  }
`;

/** The list itself, page by page. */
export const list = (): unknown => graphql`
  fragment ipConnectionList_query on Query
  @refetchable(queryName: "ipConnectionListPaginationQuery")
  @throwOnFieldError
  @argumentDefinitions(
    first: { type: "Int", defaultValue: 20 }
    after: { type: "String" }
    filter: { type: "IpConnectionFilter" }
    orderBy: { type: "IpConnectionOrder" }
  ) {
    ipConnections(first: $first, after: $after, filter: $filter, orderBy: $orderBy)
      @connection(key: "ipConnectionList_ipConnections", filters: ["filter", "orderBy"]) {
      edges {
        node {
          ...ipConnectionRow_ipConnection
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
      totalCount
    }
  }
`;
