import { gql } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { useInfiniteConnection } from '../../../../../client/src/react.ts';
import { Rows, type MissionPages } from './rows.tsx';

const Missions = gql`
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
        endCursor
      }
    }
  }
`;

export function ApolloMissionList() {
  const { data, fetchMore } = useQuery<MissionPages>(Missions);
  return <Rows {...useInfiniteConnection(data?.missions, (after) => fetchMore({ variables: { after } }))} />;
}
