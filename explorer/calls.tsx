import type { GraphiQLPlugin } from '@graphiql/react';
import { Fragment, type ReactElement } from 'react';
import { bytesText, countText, millisecondsText, useLastRun, type Call } from './last-run.ts';
import { copy } from './link.ts';

/** The calls to the API that the last request made, on one axis of time. */
function Calls(): ReactElement {
  const calls = useLastRun()?.calls ?? null;
  const end = Math.max(0, ...(calls ?? []).map((call) => call.startMilliseconds + call.milliseconds));
  return (
    <section className="ours calls small" aria-labelledby="calls-title">
      <h2 id="calls-title">Calls</h2>
      <p className="quiet">
        {calls === null
          ? 'Run an operation to see the calls to the API that it makes, if the gateway lists them (EXPLAIN).'
          : `${countText(calls.length, 'call')}, 0 to ${millisecondsText(end)}`}
      </p>
      {calls?.map((call, at) => (
        // A list has no order of its own: another answer is another list.
        // oxlint-disable-next-line react/no-array-index-key
        <OneCall key={at} call={call} end={end} />
      ))}
    </section>
  );
}

/** `end`: that of the axis, in milliseconds. */
function OneCall({ call, end }: { readonly call: Call; readonly end: number }): ReactElement {
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
      <summary className="line">
        <code>{operation}</code>
        <span
          className="bar"
          style={{ marginLeft: share(startMilliseconds), width: share(milliseconds) }}
          data-origin={origin}
        />
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
      <button type="button" onClick={() => void copy('command', curl)}>
        Copy as curl
      </button>
    </details>
  );
}

const icon = (): ReactElement => (
  <svg viewBox="0 0 24 24" stroke="currentColor" strokeWidth="3" aria-hidden="true">
    <path d="M4 6h8M8 12h8M12 18h8" />
  </svg>
);

export const callsPlugin: GraphiQLPlugin = { title: 'Calls', icon, content: Calls };
