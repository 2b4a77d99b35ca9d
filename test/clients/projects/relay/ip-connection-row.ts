import { graphql } from 'relay-runtime';

/** One connection of the list, which can be read again by itself: a source of the compiler, see `ip-connection-list.ts`. */
export const row = (): unknown => graphql`
  fragment ipConnectionRow_ipConnection on IpConnection @refetchable(queryName: "ipConnectionRowRefetchQuery") {
    id
    connectionName
    active
  }
`;
