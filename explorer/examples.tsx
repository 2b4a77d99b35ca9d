import { pick, useGraphiQL, useGraphiQLActions, type GraphiQLPlugin } from '@graphiql/react';
import type { ReactElement } from 'react';
import { hasSandbox, useCaller } from './caller.ts';
import { useLastRun } from './last-run.ts';

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

const icon = (): ReactElement => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M5 4h10l4 4v12H5zM8.5 12h7M8.5 16h5" />
  </svg>
);

export const examplesPlugin: GraphiQLPlugin = { title: 'Examples', icon, content: Examples };
