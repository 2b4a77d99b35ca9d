import type { InfiniteConnection } from '../../../../../client/src/react.ts';

interface Mission {
  readonly id: string;
}

/** What a list of missions reads. */
export interface MissionPages {
  readonly missions: {
    readonly edges: readonly { readonly node: Mission | null }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  } | null;
}

/** A list that can be read on. */
export function Rows({ nodes, hasMore, error, more, sentinel }: InfiniteConnection<Mission>) {
  return (
    <>
      <ul>
        {nodes.map(({ id }) => (
          <li key={id}>{id}</li>
        ))}
      </ul>
      {error !== null && <p role="alert">{String(error)}</p>}
      {hasMore && (
        <button ref={sentinel} onClick={more}>
          Show more
        </button>
      )}
    </>
  );
}
