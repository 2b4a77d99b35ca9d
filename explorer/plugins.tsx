import { pick, useGraphiQL, useGraphiQLActions, type GraphiQLPlugin } from '@graphiql/react';
import { Fragment, type ReactElement } from 'react';
import { hasSandbox, useCaller } from './caller.tsx';
import { bytesText, countText, millisecondsText, useLastRun, type Call } from './last-run.ts';
import { copy } from './link.ts';

const texts = import.meta.glob<string>('./examples/*.graphql', { query: '?raw', import: 'default', eager: true });

// In the order of the list: the file that has a group's examples, and the name of the group. Each example begins with a comment, whose
// first line is its name. A line `# fault: NAME` names what the sandbox has to do, so that the example shows what it is about.
const groups = [
  ['dashboard', 'Begin here'],
  ['charges', 'Charges'],
  ['lists', 'Lists'],
  ['responses', 'Answers'],
].map(([file, title]) => ({ title, queries: texts[`./examples/${file}.graphql`]?.trimEnd().split(/\n\n(?=#)/) ?? [] }));

export const examples = groups.flatMap(({ queries }) => queries);

/** The fault that an example has set: the next example takes it back. Any other is the reader's own choice. */
let ownFault = '';

function Examples(): ReactElement {
  const actions = useGraphiQLActions();
  const editors = useGraphiQL(pick('queryEditor', 'variableEditor', 'headerEditor', 'responseEditor'));

  function load(query: string): void {
    actions.stop();
    const written = editors.queryEditor?.getValue() ?? '';
    // What somebody has written stays in its tab.
    if (written.trim() !== '' && !examples.includes(written)) actions.addTab();
    editors.variableEditor?.setValue('');
    editors.headerEditor?.setValue('');
    editors.queryEditor?.setValue(query);
    // GraphiQL reads it out of the query after a pause, and would send the name of the one before until then.
    actions.setOperationName(/^(?:query|subscription) (\w+)/m.exec(query)?.[1] ?? '');
    // On a phone it stands below.
    editors.queryEditor?.getDomNode()?.scrollIntoView({ block: 'nearest' });
    editors.responseEditor?.setValue('');
    actions.updateActiveTabValues({ response: null });
    useLastRun.setState(null, true);
    const fault = /^# fault: (\S+)$/m.exec(query)?.[1] ?? '';
    if (hasSandbox && (fault !== '' || useCaller.getState().fault === ownFault)) useCaller.setState({ fault });
    ownFault = fault;
  }

  return (
    <section className="ours examples" aria-labelledby="examples-title">
      <h2 id="examples-title">Examples</h2>
      {groups.map(({ title, queries }) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul className="plain">
            {queries.map((query) => (
              <li key={query}>
                <button type="button" onClick={() => load(query)}>
                  {/^# (.*)/.exec(query)?.[1]}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

const examplesIcon = (): ReactElement => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M5 4h10l4 4v12H5zM8.5 12h7M8.5 16h5" />
  </svg>
);

export const examplesPlugin: GraphiQLPlugin = { title: 'Examples', icon: examplesIcon, content: Examples };

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

const callsIcon = (): ReactElement => (
  <svg viewBox="0 0 24 24" stroke="currentColor" strokeWidth="3" aria-hidden="true">
    <path d="M4 6h8M8 12h8M12 18h8" />
  </svg>
);

export const callsPlugin: GraphiQLPlugin = { title: 'Calls', icon: callsIcon, content: Calls };
