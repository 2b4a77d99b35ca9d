import { Suspense } from 'react';
import { cacheExchange, createClient, fetchExchange, gql, Provider, useQuery } from 'urql';

const client = createClient({
  url: 'http://127.0.0.1:4000/graphql',
  fetchOptions: { headers: { Authorization: 'Bearer sandbox-key' } },
  exchanges: [cacheExchange, fetchExchange],
  suspense: true,
});

const Missions = gql<{ missions: { nodes: ({ id: string; name: string } | null)[] } | null }>`
  {
    missions(first: 10) {
      nodes {
        id
        name
      }
    }
  }
`;

function List() {
  const [{ data, error }] = useQuery({ query: Missions });
  if (!data?.missions) return <p role="alert">{error?.message}</p>;
  return <ul>{data.missions.nodes.map((node) => node && <li key={node.id}>{node.name}</li>)}</ul>;
}

export default function App() {
  return (
    <Provider value={client}>
      <Suspense fallback="Loading…">
        <List />
      </Suspense>
    </Provider>
  );
}
