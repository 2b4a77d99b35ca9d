import 'graphiql/setup-workers/vite';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './explorer.css';
import { GraphiQL, HISTORY_PLUGIN as history } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { editorTheme } from './editor-themes.ts';
import { callsPlugin } from './calls.tsx';
import { examples, examplesPlugin } from './examples.tsx';
import { Footer } from './footer.tsx';
import { fetcher } from './fetcher.ts';
import { KeyBar } from './key-bar.tsx';
import { takeLink } from './link.ts';

/** The browser's own store. GraphiQL's history would hold headers, which may hold a key; its tabs leave them out. */
const storage = {
  getItem: (name: string) => localStorage.getItem(name),
  setItem: (name: string, text: string) =>
    localStorage.setItem(name, /^graphiql:(?:queries|favorites)$/.test(name) ? withoutHeaders(text) : text),
  removeItem: (name: string) => localStorage.removeItem(name),
  clear: () => localStorage.clear(),
  length: localStorage.length,
};

function withoutHeaders(json: string): string {
  return JSON.stringify(JSON.parse(json, (name, value: unknown) => (name === 'headers' ? null : value)));
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
