import type { MissionsQuery } from '../generated/documents.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { day } from '../values/wording.ts';

/** A mission as a card shows it. */
export type Mission = NonNullable<NonNullable<MissionsQuery['missions']>['nodes'][number]>;

/** What a mission is for; what its model is told, and what the account keeps with it, on demand. */
export function MissionCard({ mission }: { readonly mission: Mission }) {
  const { name, description, model, instructions, metadata, createdAt, updatedAt } = mission;
  const hasMetadata = metadata != null && Object.keys(metadata).length > 0;
  return (
    <article className="card">
      <h3>{name ?? 'Without a name'}</h3>
      <p>{description ?? 'Without a description.'}</p>
      <p className="hint">
        {model ?? 'No model'} · created {day(createdAt)} · changed {day(updatedAt)}
      </p>
      {(instructions != null || hasMetadata) && (
        <details>
          <summary>Instructions and data</summary>
          {instructions != null && (
            <>
              <CopyButton what="instructions" text={instructions} />
              <p className="instructions">{instructions}</p>
            </>
          )}
          {hasMetadata && (
            <>
              <CopyButton what="data" text={JSON.stringify(metadata, null, 2)} />
              <pre>{JSON.stringify(metadata, null, 2)}</pre>
            </>
          )}
        </details>
      )}
    </article>
  );
}
