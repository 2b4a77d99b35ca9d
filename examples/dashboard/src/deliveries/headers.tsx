import type { AttemptFragment } from '../generated/documents.ts';
import { nothing } from '../values/wording.ts';

type Headers = NonNullable<NonNullable<NonNullable<AttemptFragment['http']>['request']>['headers']>;

const redacted = '[redacted]';

/** HTTP headers in their order. What the gateway withheld is marked as withheld, not shown as if it were the value. */
export function HeaderList({
  title,
  headers,
}: {
  readonly title: string;
  readonly headers: Headers | null | undefined;
}) {
  if (headers == null || headers.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <dl className="headers">
        {headers.map((header, at) => (
          // Names may repeat; headers never move.
          <div key={at}>
            <dt>{header?.name ?? nothing}</dt>
            <dd>{header?.value === redacted ? <Withheld /> : (header?.value ?? nothing)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Withheld() {
  return (
    <span className="redacted" title="A credential, withheld by the gateway">
      {redacted}
    </span>
  );
}
