import { stored } from './graphiql-frame.js';

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
