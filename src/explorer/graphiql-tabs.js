import { stored } from './graphiql-frame.js';
import { offerExamples } from './graphiql-examples.js';

// The names under which GraphiQL keeps its tabs, and what stands in the active one.
const [tabsName, queryName, variablesName] = ['tabState', 'query', 'variables'].map((name) => `graphiql:${name}`);

/** A tab as GraphiQL keeps it. */
function tabOf({ query, variables = null, headers = null, operationName }) {
  const name = operationName ?? /^(?:query|subscription) (\w+)/m.exec(query)?.[1] ?? null;
  return {
    id: `${Math.random()}`,
    title: name ?? 'Link',
    query,
    variables,
    headers,
    operationName: name,
    response: null,
  };
}

function keptTabs(storage, ready) {
  try {
    const { tabs } = JSON.parse(storage[tabsName]);
    return [...tabs];
  } catch {
    return ready.map(tabOf);
  }
}

/** JSON with a line for each of its members; any other text as it is. */
function indented(text) {
  try {
    return text && JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Opens what the page's address holds (`?query=&variables=&operationName=`) in a tab beside those that are there, without running it. The
 * address is plain afterwards, so that a reload shows what the tab has become.
 */
export function openTabs(ready) {
  stored('localStorage', (storage) => {
    const link = new URLSearchParams(location.search);
    const query = link.get('query');
    // GraphiQL stores a query only when it is edited. After a reload without an edit it would find no tab for it, and add an untitled one.
    if (!query) {
      storage[queryName] ??= ready[0].query;
      return;
    }
    const variables = indented(link.get('variables'));
    const tab = tabOf({ query, variables, operationName: link.get('operationName') });
    const tabs = keptTabs(storage, ready);
    const known = tabs.findIndex((each) => each.query === query && (each.variables || null) === (variables || null));
    const activeTabIndex = known < 0 ? tabs.push(tab) - 1 : known;
    storage[tabsName] = JSON.stringify({ tabs, activeTabIndex });
    storage[queryName] = query;
    storage[variablesName] = variables ?? '';
    history.replaceState(null, '', location.pathname);
  });
}

/** Tells GraphiQL where its parts are, and opens the first example, or what is there from before. */
export function begin({ groups, workers }) {
  const examples = groups.flatMap((group) => group.examples);
  // GraphiQL shares no way to write into its editors, and Monaco does.
  globalThis.MonacoEnvironment = { globalAPI: true, getWorkerUrl: (_module, label) => workers[label] };
  globalThis.graphiqlOptions = {
    endpoint: '/graphql',
    defaultTabs: examples.slice(0, 1),
    defaultEditorToolsVisibility: false,
    // By default the headers of a tab, which may hold a key, would be written to the browser's storage.
    shouldPersistHeaders: false,
    // By default each edit is written to the address as `?query=`, without its variables.
    onEditQuery: null,
  };
  openTabs(examples.slice(0, 1));
  offerExamples(examples);
}
