import 'graphiql/setup-workers/vite';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './explorer.css';
import { pick, useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { GraphiQL, HISTORY_PLUGIN as history } from 'graphiql';
import { useEffect, useRef, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { downloadCharges } from '../client/src/csv.ts';
import { callerHeaders, KeyBar } from './caller.tsx';
import { fetcher } from './fetcher.ts';
import { bytesText, countText, millisecondsText, useLastRun, type Run } from './last-run.ts';
import { copy, curlOf, linkTo, takeLink, typed, useNews, type Operation } from './link.ts';
import { callsPlugin, examples, examplesPlugin } from './plugins.tsx';

/** The themes of the editors, for GraphiQL's `editorTheme`. */
const editorTheme = { light: 'switchboard-light', dark: 'switchboard-dark' };

// Those of Monaco, in colours that are told from their ground, which is that of the page.
const argument = 'argument.identifier.gql';
const light = { annotation: '5f5f5f', number: '066042', comment: '006a00', [argument]: '4a47ad' };
const json = { 'string.key.json': '9cdcfe' };
const dark = { annotation: 'c8c8c8', comment: '8fc27a', keyword: '7fb8ec', [argument]: 'b3b0ff', ...json };

/** A hook: gives the editors their themes. */
function useEditorThemes(): void {
  const monaco = useMonaco((state) => state.monaco);
  const theme = useGraphiQL((state) => state.theme);
  const actions = useGraphiQLActions();
  useEffect(() => {
    for (const [name, base, tokens, numbers] of [
      [editorTheme.light, 'vs', light, '#1f6b80'],
      [editorTheme.dark, 'vs-dark', dark, '#a3adbd'],
    ] as const) {
      const rules = Object.entries(tokens).map(([token, foreground]) => ({ token, foreground }));
      const ground = { 'editor.background': '#00000000', 'scrollbar.shadow': '#00000000' };
      const colors = { ...ground, 'editorLineNumber.foreground': numbers };
      monaco?.editor.defineTheme(name, { base, inherit: true, rules, colors });
    }
    actions.setTheme(theme);
  }, [monaco, theme, actions]);
}

/** What can be copied of an operation: the name of its button, what it is called, and who writes it. */
const copies = [
  ['Share', 'link', linkTo],
  ['Copy as curl', 'command', curlOf],
] as const;

function factsOf({ status, milliseconds, bytes, events, calls, isRunning }: Run): string {
  const facts = [
    status ?? (isRunning ? 'sent' : 'no answer'),
    millisecondsText(milliseconds),
    bytesText(bytes),
    events > 1 && countText(events, 'event'),
    calls !== null && countText(calls.length, 'call'),
    isRunning && events > 0 && 'live',
  ];
  return facts.filter((fact) => fact !== false).join(' · ');
}

/** What stands below the answer. `operationName`: of the operation that the page's address asks for, if it names one. */
function Footer({ operationName: asked }: { readonly operationName: string | null }): ReactElement {
  const run = useLastRun();
  const state = useGraphiQL(pick('queryEditor', 'variableEditor', 'operationName', 'operations'));
  const actions = useGraphiQLActions();
  const pending = useRef(asked);
  const { queryEditor, variableEditor, operations } = state;
  useEditorThemes();

  useEffect(() => {
    typed.variables = () => variableEditor?.getValue() ?? '';
  }, [variableEditor]);

  useEffect(() => {
    if (!operations?.some(({ name }) => name?.value === pending.current)) return;
    actions.setOperationName(pending.current ?? '');
    pending.current = null;
  }, [operations, actions]);

  // What takes the place of the whole text, as a prettified query does, may be out of view.
  useEffect(() => {
    const listening = queryEditor?.onDidChangeModelContent(({ isFlush }) => {
      if (isFlush) queryEditor.setScrollPosition({ scrollTop: 0, scrollLeft: 0 });
      useNews.setState('');
    });
    return () => listening?.dispose();
  }, [queryEditor]);

  const operation = (): Operation => ({
    query: queryEditor?.getValue() ?? '',
    variables: variableEditor?.getValue() ?? '',
    operationName: state.operationName ?? null,
  });
  const download = (url: string): Promise<void> => {
    const period = Object.fromEntries(new URLSearchParams(url.split('?')[1])) as { readonly startDate: string };
    const downloaded = downloadCharges({ url: '/graphql', headers: callerHeaders(), ...period });
    return downloaded.catch(({ message }: Error) => useNews.setState(message));
  };
  return (
    <div className="ours footer row small">
      <span role="status">{run !== null && factsOf(run)}</span>
      {run?.exports.map((url) => (
        <button key={url} type="button" title={url} onClick={() => void download(url)}>
          Download CSV
        </button>
      ))}
      {copies.map(([name, what, write]) => (
        <button key={name} type="button" onClick={() => void copy(what, write(operation()))}>
          {name}
        </button>
      ))}
      <output>{useNews()}</output>
    </div>
  );
}

/** The browser's own store. GraphiQL's history would hold headers, which may hold a key; its tabs leave them out. */
const storage = {
  getItem: (name: string) => localStorage.getItem(name),
  setItem: (name: string, text: string) =>
    localStorage.setItem(name, /^graphiql:(?:queries|favorites)$/.test(name) ? withoutHeaders(text) : text),
  removeItem: (name: string) => localStorage.removeItem(name),
  clear: () => localStorage.clear(),
  length: localStorage.length,
};

function withoutHeaders(text: string): string {
  return JSON.stringify(JSON.parse(text, (name, value: unknown) => (name === 'headers' ? null : value)));
}

const plugins = [examplesPlugin, callsPlugin, history];
const link = takeLink();
const [first] = examples;

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <>
      <KeyBar />
      <GraphiQL
        fetcher={fetcher}
        plugins={plugins}
        storage={storage}
        editorTheme={editorTheme}
        shouldPersistHeaders={false}
        defaultTabs={[{ query: first ?? '' }]}
        {...(link !== null && { initialQuery: link.query, initialVariables: link.variables })}
      >
        <GraphiQL.Logo>
          <span />
        </GraphiQL.Logo>
        <GraphiQL.Footer>
          <Footer operationName={link?.operationName ?? null} />
        </GraphiQL.Footer>
      </GraphiQL>
    </>,
  );
