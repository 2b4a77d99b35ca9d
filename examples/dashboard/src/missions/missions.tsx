import { useState } from 'react';
import { failuresAt } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { MissionsDocument } from '../generated/documents.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Loading, Section } from '../parts/section.tsx';
import { count } from '../values/wording.ts';
import { MissionCard } from './mission-card.tsx';

const size = 8;

/** AI missions as cards; more are added below, page by page. */
export function Missions() {
  // The cursors of the pages shown, the first of which has none.
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null]);
  return (
    <Section id="missions" title="Missions" lead="Tasks that a model carries out, newest first.">
      {cursors.map((after, at) => (
        <MissionPage
          key={after}
          after={after}
          isLast={at === cursors.length - 1}
          onMore={(cursor) => setCursors([...cursors, cursor])}
        />
      ))}
    </Section>
  );
}

interface MissionPageProps {
  readonly after: string | null;
  readonly isLast: boolean;
  readonly onMore: (cursor: string) => void;
}

function MissionPage({ after, isLast, onMore }: MissionPageProps) {
  const { data, failures, isLoading, retry } = useRead(MissionsDocument, { first: size, after });
  const list = data?.missions;
  const cursor = list?.pageInfo.endCursor;
  return (
    <>
      <FailureNotice what="The missions" failures={failuresAt(failures, 'missions')} onRetry={retry} />
      {data === null && isLoading && <Loading />}
      {list != null && (
        <div className="cards">
          {list.nodes.map((mission) => mission !== null && <MissionCard key={mission.nodeId} mission={mission} />)}
        </div>
      )}
      {isLast && list != null && cursor != null && (
        <div className="pager">
          <p role="status">
            {count(list.offset === null ? null : list.offset + list.nodes.length)} of {count(list.totalCount)} missions
          </p>
          {list.pageInfo.hasNextPage && (
            <button type="button" onClick={() => onMore(cursor)}>
              Show more
            </button>
          )}
        </div>
      )}
    </>
  );
}
