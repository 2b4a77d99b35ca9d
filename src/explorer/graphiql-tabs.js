import { parsePayload } from './gateway.js';
import { stored } from './graphiql-frame.js';
import { themeOf } from './graphiql-theme.js';
import { build, buildButton, byId } from './views.js';

// The names under which GraphiQL keeps its tabs, and what stands in the active one.
const [tabsName, queryName, variablesName] = ['tabState', 'query', 'variables'].map((name) => `graphiql:${name}`);

const nameOf = (query) => /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1] ?? null;

/** A tab as GraphiQL keeps it. */
function tabOf({ query, variables = null, headers = null, operationName = nameOf(query) }) {
  const title = operationName ?? 'Link';
  return { id: `${Math.random()}`, title, query, variables, headers, operationName, response: null };
}

/** JSON with a line for each of its members; any other text as it is. */
function indented(text) {
  const value = parsePayload(text ?? '');
  return value === null ? text : JSON.stringify(value, null, 2);
}

/**
 * Opens what the page's address holds (`?query=&variables=&operationName=`) in a tab beside those that are there, without running it. The
 * address is plain afterwards, so that a reload shows what the tab has become.
 */
function openTabs(first) {
  stored('localStorage', (storage) => {
    const link = new URLSearchParams(location.search);
    const query = link.get('query');
    // GraphiQL stores a query only when it is edited. After a reload without an edit it would find no tab for it, and add an untitled one.
    if (!query) {
      storage[queryName] ??= first.query;
      return;
    }
    const variables = indented(link.get('variables'));
    const tabs = stored('localStorage', () => [...JSON.parse(storage[tabsName]).tabs]) ?? [tabOf(first)];
    const known = tabs.findIndex((tab) => tab.query === query && (tab.variables || null) === (variables || null));
    const tab = tabOf({ query, variables, operationName: link.get('operationName') ?? undefined });
    const activeTabIndex = known < 0 ? tabs.push(tab) - 1 : known;
    storage[tabsName] = JSON.stringify({ tabs, activeTabIndex });
    storage[queryName] = query;
    storage[variablesName] = variables ?? '';
    history.replaceState(null, '', location.pathname);
  });
}

/** One of Monaco's models, by the name that GraphiQL gives it. */
const modelOf = (name) => monaco.editor.getModels().find(({ uri }) => uri.path.endsWith(name));

const [menu, lately] = byId('examples', 'lately');

/** Opens an example in the open tab where that is empty or has an example that nobody has changed, else in a new one. */
function openExample({ query, headers = '' }, examples) {
  menu.hidePopover();
  const current = modelOf('operation.graphql').getValue();
  const isUntouched = current.trim() === '' || examples.some((example) => example.query === current);
  if (!isUntouched) document.querySelector('.graphiql-tab-add').click();
  // A new tab gets its empty text first.
  requestAnimationFrame(() => {
    modelOf('variables.json').setValue('');
    modelOf('request-headers.json').setValue(headers);
    modelOf('operation.graphql').setValue(query);
    document.querySelector('.graphiql-query-editor textarea, .graphiql-query-editor [contenteditable]')?.focus();
  });
}

// The prefix is GraphiQL's own, whose settings have a button that removes what is stored under it.
const latelyName = 'graphiql:switchboard-lately';
const mostLately = 15;
const longestLately = 10_000;

const readLately = () =>
  stored('localStorage', (storage) => JSON.parse(storage[latelyName]).filter((query) => typeof query === 'string')) ??
  [];

/** Keeps a query that was run, without headers and variables: the menu of examples offers it again. */
export function noteRun(query) {
  if (query.length > longestLately) return;
  const kept = [query, ...readLately().filter((each) => each !== query)].slice(0, mostLately);
  stored('localStorage', (storage) => (storage[latelyName] = JSON.stringify(kept)));
}

/** Offers what was run lately, by the name of its operation or its first words. */
function writeLately(examples) {
  const queries = readLately();
  lately.hidden = queries.length === 0;
  const items = queries.map((query) => {
    const words = query
      .replaceAll(/^\s*#.*$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, 60);
    return build(
      'li',
      buildButton(() => openExample({ query }, examples), nameOf(query) ?? words),
    );
  });
  lately.querySelector('ul').replaceChildren(...items);
}

/** Renders GraphiQL with its options and, in its editors, the colours and letters of the page. */
function render({ renderYogaGraphiQL }, { editor }, options) {
  const editorTheme = { light: 'switchboard-light', dark: 'switchboard-dark' };
  for (const [scheme, name] of Object.entries(editorTheme)) editor.defineTheme(name, themeOf(scheme));
  const letters = { fontFamily: 'var(--mono)', fontLigatures: false, fontSize: 14, lineHeight: 1.5 };
  editor.onDidCreateEditor((each) => each.updateOptions(letters));
  renderYogaGraphiQL(byId('root')[0], { ...options, editorTheme });
}

/** Tells GraphiQL where its parts are, and opens the first example, or what is there from before. */
export function begin({ examples, workers }) {
  const [first] = examples;
  // GraphiQL shares no way to write into its editors, and Monaco does.
  globalThis.MonacoEnvironment = { globalAPI: true, getWorkerUrl: (_module, label) => workers[label] };
  const options = {
    endpoint: '/graphql',
    defaultTabs: [first],
    defaultEditorToolsVisibility: false,
    // By default the headers of a tab, which may hold a key, would be written to the browser's storage.
    shouldPersistHeaders: false,
    // By default each edit is written to the address as `?query=`, without its variables.
    onEditQuery: null,
  };
  // Called when the program of GraphiQL has come.
  globalThis.renderGraphiql = (graphiql, monaco) => render(graphiql, monaco, options);
  openTabs(first);
  menu.addEventListener('beforetoggle', () => writeLately(examples));
  for (const [at, button] of menu.querySelectorAll('[data-example]').entries())
    button.addEventListener('click', () => openExample(examples[at], examples));
}
