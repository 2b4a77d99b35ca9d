import type { GraphiQLPlugin } from '@graphiql/react';
import { Fragment, type ReactElement } from 'react';
import { copy } from './copied.tsx';
import { bytesText, countText, lastRun, millisecondsText, type Call } from './last-run.ts';

const endOf = ({ startMilliseconds, milliseconds }: Call): number => startMilliseconds + milliseconds;

/** The calls to the API that the last request made, on one axis of time. */
function Calls(): ReactElement {
  const calls = lastRun.use()?.calls ?? null;
  const end = calls?.reduce((latest, call) => Math.max(latest, endOf(call)), 0) ?? 0;
  return (
    <section className="ours calls" aria-labelledby="calls-title">
      <h2 id="calls-title">Calls</h2>
      {calls === null ? (
        <p className="quiet">
          Run an operation to see the calls to the API that it makes, if the gateway lists them (EXPLAIN).
        </p>
      ) : (
        <p className="summary">
          <span>{countText(calls.length, 'call')}</span>
          <span className="axis-ends quiet">{end > 0 && `0 to ${millisecondsText(end)}`}</span>
        </p>
      )}
      {calls?.map((call, at) => (
        // A list has no order of its own: another answer is another list.
        // oxlint-disable-next-line react/no-array-index-key
        <OneCall key={at} call={call} end={end} />
      ))}
    </section>
  );
}

interface OneCallOptions {
  readonly call: Call;
  /** The end of the axis, in milliseconds. */
  readonly end: number;
}

function OneCall({ call, end }: OneCallOptions): ReactElement {
  const { operation, query, origin, status, bytes, startMilliseconds, milliseconds, retries, curl } = call;
  const isFailed = origin === null || (status !== null && status >= 400);
  const share = (time: number): string => `${end === 0 ? 0 : (time / end) * 100}%`;
  const facts = {
    Query: query,
    Status: status === null ? 'no answer' : String(status),
    From: origin ?? 'not made',
    Size: bytes === null ? '–' : bytesText(bytes),
    Begun: `after ${millisecondsText(startMilliseconds)}`,
    Retries: String(retries),
  };
  return (
    <details className={isFailed ? 'is-failed' : undefined}>
      <summary className="summary">
        <code>{operation}</code>
        <span className="axis" aria-hidden="true">
          <span style={{ marginLeft: share(startMilliseconds), width: share(milliseconds) }} data-origin={origin} />
        </span>
        <span>{isFailed ? (status ?? 'failed') : millisecondsText(milliseconds)}</span>
      </summary>
      <dl>
        {Object.entries(facts).map(([name, text]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
      <button type="button" onClick={() => copy('curl', curl)}>
        Copy as curl
      </button>
    </details>
  );
}

const Icon = (): ReactElement => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M4 6h8M8 12h8M12 18h8" strokeWidth="3" />
  </svg>
);

export const callsPlugin: GraphiQLPlugin = { title: 'Calls', icon: Icon, content: Calls };
