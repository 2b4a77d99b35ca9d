import { useQuery } from '@apollo/client/react';
import { useInfiniteConnection } from '@switchboard-gateway/client/react';
import { useState } from 'react';
import { Failure } from './failure.tsx';
import { graphql } from './generated';

const connectionsQuery = graphql(`
  query Connections($after: String, $search: String!) {
    ipConnections(first: 50, after: $after, filter: { connectionName: { contains: $search } }) {
      totalCount
      edges {
        node {
          id
          connectionName
          active
          transportProtocol
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** All connections with a name that contains what is searched for; further ones are read as the reader comes near them. */
export function Connections() {
  const [search, setSearch] = useState('');
  return (
    <>
      <h1>Connections</h1>
      <form role="search" action={(form) => setSearch(String(form.get('search')))}>
        <label>
          Name contains <input name="search" type="search" defaultValue={search} key={search} />
        </label>
        <button>Search</button>
      </form>
      <List key={search} search={search} />
    </>
  );
}

function List({ search }: { search: string }) {
  const { data, error, loading, refetch, fetchMore } = useQuery(connectionsQuery, { variables: { search } });
  const list = data?.ipConnections;
  const later = useInfiniteConnection(list, (after) => fetchMore({ variables: { after }, errorPolicy: 'all' }));
  return (
    <>
      <Failure of={error} retry={refetch} />
      <p role="status">{list ? `${later.nodes.length} of ${list.totalCount ?? 'many'}` : loading && 'Loading…'}</p>
      <ul className="rows">
        {later.nodes.map(({ id, connectionName, active, transportProtocol }) => (
          <li key={id}>
            <a href={`#/connections/${encodeURIComponent(id ?? '')}`}>{connectionName ?? 'unnamed'}</a>
            <span className="aside">
              {transportProtocol} {active === false && 'switched off'}
            </span>
          </li>
        ))}
      </ul>
      <Failure of={later.error} retry={later.more} />
      {later.hasMore && later.error === null && (
        <button ref={later.sentinel} disabled={later.isReading} onClick={later.more}>
          {later.isReading ? 'Loading…' : 'Show more'}
        </button>
      )}
    </>
  );
}
