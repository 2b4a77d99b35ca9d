import { useQuery } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
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
  const [isReading, setReading] = useState(false);
  const [laterError, setLaterError] = useState<unknown>();
  const list = data?.ipConnections;
  const nodes = list?.edges.flatMap((edge) => edge?.node ?? []) ?? [];
  const more = async (): Promise<void> => {
    setReading(true);
    setLaterError(undefined);
    const after = list?.pageInfo.endCursor ?? null;
    const { error: refusal } = await fetchMore({ variables: { after }, errorPolicy: 'all' });
    setLaterError(refusal);
    setReading(false);
  };
  const hasMore = list?.pageInfo.hasNextPage === true && laterError === undefined;
  return (
    <>
      <Failure of={error} retry={refetch} />
      <p role="status">{list ? `${nodes.length} of ${list.totalCount ?? 'many'}` : loading && 'Loading…'}</p>
      <ul className="rows">
        {nodes.map(({ id, connectionName, active, transportProtocol }) => (
          <li key={id}>
            <a href={`#/connections/${encodeURIComponent(id ?? '')}`}>{connectionName ?? 'unnamed'}</a>
            <span className="aside">
              {transportProtocol} {active === false && 'switched off'}
            </span>
          </li>
        ))}
      </ul>
      <Failure of={laterError} retry={more} />
      {hasMore && <More read={more} isReading={isReading} />}
    </>
  );
}

/** A button that is pressed by itself as soon as it is nearly in sight. */
function More({ read, isReading }: { read: () => Promise<void>; isReading: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const press = ([entry]: IntersectionObserverEntry[]): void => {
      if (entry?.isIntersecting) button.current?.click();
    };
    const observer = new IntersectionObserver(press, { rootMargin: '400px' });
    if (!isReading && button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, [isReading]);
  return (
    <button ref={button} disabled={isReading} onClick={() => void read()}>
      {isReading ? 'Loading…' : 'Show more'}
    </button>
  );
}
