import { useQuery } from '@apollo/client/react';
import { useInfiniteConnection } from '../../../../../client/src/react.ts';
import { Missions } from './mission-list.tsx';
import { Rows } from './rows.tsx';

export function ApolloMissionList() {
  const { data, fetchMore } = useQuery(Missions);
  return <Rows {...useInfiniteConnection(data?.missions, (after) => fetchMore({ variables: { after } }))} />;
}
