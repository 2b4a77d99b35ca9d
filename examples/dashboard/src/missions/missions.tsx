import { useEffect, useState } from 'react';
import { failuresAt } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { MissionsDocument, type MissionsQuery } from '../generated/documents.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { count } from '../values/wording.ts';
import { MissionCard } from './mission-card.tsx';

const size = 8;

type MissionList = NonNullable<MissionsQuery['missions']>;

/** AI missions as cards; more are added below, page by page. */
export function Missions() {
  // The cursors of the pages shown, the first of which has none.
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null]);
  const [last, setLast] = useState<MissionList | null>(null);
  const cursor = last?.pageInfo.hasNextPage === true ? last.pageInfo.endCursor : null;
  const more = (): void => {
    if (cursor !== null && !cursors.includes(cursor)) setCursors([...cursors, cursor]);
  };
  return (
    <Section id="missions" title="Missions" lead="Tasks that a model carries out, newest first.">
      {cursors.map((after, at) => (
        <MissionPage key={after} after={after} onRead={at === cursors.length - 1 ? setLast : null} />
      ))}
      {last !== null && last.totalCount === 0 && (
        <Empty title="This account has no missions.">Create one at the platform, then enter the key again.</Empty>
      )}
      {last !== null && last.totalCount !== 0 && (
        <div className="pager">
          <p role="status">
            {count(last.offset === null ? null : last.offset + last.nodes.length)} of {count(last.totalCount)} missions
          </p>
          {/* It stays where it is, so that the keyboard's focus does. */}
          <button type="button" aria-disabled={cursor === null} onClick={more}>
            Show more
          </button>
        </div>
      )}
    </Section>
  );
}

interface MissionPageProps {
  readonly after: string | null;
  /** Told what was read; null for all pages but the last. */
  readonly onRead: ((list: MissionList) => void) | null;
}

function MissionPage({ after, onRead }: MissionPageProps) {
  const { data, old, failures, isLoading, retry } = useRead(MissionsDocument, { first: size, after });
  const list = data?.missions;
  useEffect(() => {
    if (list != null) onRead?.(list);
  }, [list, onRead]);
  return (
    <>
      <FailureNotice
        what="The missions"
        failures={failuresAt(failures, 'missions')}
        isOld={old.includes('missions')}
        onRetry={retry}
      />
      {data === null && isLoading && <Skeleton rows={4} />}
      {list != null && (
        <div className="cards">
          {list.nodes.map((mission) => mission !== null && <MissionCard key={mission.nodeId} mission={mission} />)}
        </div>
      )}
    </>
  );
}
