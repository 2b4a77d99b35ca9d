import { pick, useGraphiQL, useGraphiQLActions, type GraphiQLPlugin } from '@graphiql/react';
import type { ReactElement } from 'react';
import { caller, hasSandbox } from './caller.ts';
import { lastRun } from './last-run.ts';

interface Example {
  readonly name: string;
  readonly query: string;
  /** What the sandbox has to do, so that the example shows what it is about; empty for nothing. */
  readonly fault: string;
}

const texts = import.meta.glob<string>('./examples/*.graphql', { query: '?raw', import: 'default', eager: true });

// In the order of the list: the name of a group, and the file that has its examples.
const groups = Object.entries({
  dashboard: 'Begin here',
  charges: 'Charges',
  lists: 'Lists',
  responses: 'Answers',
}).map(([file, title]) => ({ title, examples: readExamples(texts[`./examples/${file}.graphql`] ?? '') }));

export const examples: readonly Example[] = groups.flatMap((group) => group.examples);

/** Each example begins with a comment, whose first line is its name. A line `# fault: NAME` names what the sandbox has to do. */
function readExamples(text: string): readonly Example[] {
  return text
    .trimEnd()
    .split(/\n\n(?=#)/)
    .map((query) => ({
      query,
      name: /^# (.*)/.exec(query)?.[1] ?? '',
      fault: /^# fault: (\S+)$/m.exec(query)?.[1] ?? '',
    }));
}

/** The fault that an example has set: the next example takes it back. Any other is the reader's own choice. */
let ownFault = '';

function Examples(): ReactElement {
  const actions = useGraphiQLActions();
  const editors = useGraphiQL(pick('queryEditor', 'variableEditor', 'headerEditor', 'responseEditor'));

  function load({ query, fault }: Example): void {
    actions.stop();
    const written = editors.queryEditor?.getValue() ?? '';
    // What somebody has written stays in its tab.
    if (written.trim() !== '' && !examples.some((example) => example.query === written)) actions.addTab();
    editors.variableEditor?.setValue('');
    editors.headerEditor?.setValue('');
    editors.queryEditor?.setValue(query);
    // GraphiQL reads it out of the query after a pause, and would send the name of the one before until then.
    actions.setOperationName(/^(?:query|subscription) (\w+)/m.exec(query)?.[1] ?? '');
    // On a phone it stands below.
    editors.queryEditor?.getDomNode()?.scrollIntoView({ block: 'nearest' });
    editors.responseEditor?.setValue('');
    actions.updateActiveTabValues({ response: null });
    lastRun.set(null);
    const before = caller.get();
    if (hasSandbox && (fault !== '' || before.fault === ownFault)) caller.set({ ...before, fault });
    ownFault = fault;
  }

  return (
    <section className="ours examples" aria-labelledby="examples-title">
      <h2 id="examples-title">Examples</h2>
      {groups.map(({ title, examples: members }) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul className="plain">
            {members.map((example) => (
              <li key={example.name}>
                <button type="button" onClick={() => load(example)}>
                  {example.name}
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
