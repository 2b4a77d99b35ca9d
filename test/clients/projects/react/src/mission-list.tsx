import { gql, useClient, useQuery } from 'urql';
import { useInfiniteConnection } from '../../../../../client/src/react.ts';
import { Rows, type MissionPages } from './rows.tsx';

const Missions = gql<MissionPages, { after?: string }>`
  query Missions($after: String) {
    missions(first: 100, after: $after) {
      edges {
        cursor
        node {
          id
        }
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`;

export function MissionList() {
  const client = useClient();
  const [{ data }, execute] = useQuery({ query: Missions, variables: {} });
  const list = useInfiniteConnection(data?.missions, async (after) => {
    const page = await client.query(Missions, { after });
    execute({ requestPolicy: 'cache-only' });
    return page;
  });
  return <Rows {...list} />;
}

export { Missions };
