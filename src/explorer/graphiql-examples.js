import { stored } from './graphiql-frame.js';

// The names of Monaco's models, as GraphiQL gives them.
const [queryModel, variablesModel, headersModel] = ['operation.graphql', 'variables.json', 'request-headers.json'];

function modelOf(name) {
  return monaco.editor.getModels().find(({ uri }) => uri.path.endsWith(name));
}

/** Whether the open tab has an example that nobody has changed, or nothing. */
function isUntouched(examples) {
  const query = modelOf(queryModel).getValue();
  return query.trim() === '' || examples.some((example) => example.query === query);
}

/** Opens an example in the open tab where nothing is lost by that, else in a new one. */
function openExample({ query, headers = '' }, examples) {
  if (!isUntouched(examples)) document.querySelector('.graphiql-tab-add').click();
  // A new tab gets its empty text first.
  requestAnimationFrame(() => {
    modelOf(variablesModel).setValue('');
    modelOf(headersModel).setValue(headers);
    modelOf(queryModel).setValue(query);
    document.querySelector('.graphiql-query-editor textarea, .graphiql-query-editor [contenteditable]')?.focus();
  });
}

/** Has the menu of examples open them. */
export function offerExamples(examples) {
  const menu = document.getElementById('examples');
  menu.addEventListener('beforetoggle', () => writeLately(menu, examples));
  for (const [at, button] of menu.querySelectorAll('[data-example]').entries())
    button.addEventListener('click', () => {
      menu.hidePopover();
      openExample(examples[at], examples);
    });
}

// The prefix is GraphiQL's own, whose settings have a button that removes what is stored under it.
const latelyName = 'graphiql:switchboard-lately';
const mostLately = 15;
const longestLately = 10_000;

function readLately() {
  try {
    const queries = JSON.parse(stored('localStorage', (storage) => storage[latelyName]) ?? '[]');
    return queries.filter((query) => typeof query === 'string');
  } catch {
    return [];
  }
}

/** Keeps a query that was run, without headers and variables: the menu of examples offers it again. */
export function noteRun(query) {
  if (query.length > longestLately) return;
  const kept = [query, ...readLately().filter((each) => each !== query)].slice(0, mostLately);
  stored('localStorage', (storage) => (storage[latelyName] = JSON.stringify(kept)));
}

/** The first line that is no comment, or the name of the operation. */
function titleOf(query) {
  const [, name] = /^(?:query|mutation|subscription) (\w+)/m.exec(query) ?? [];
  return (
    name ??
    query
      .replaceAll(/^\s*#.*$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, 60)
  );
}

function writeLately(menu, examples) {
  const lately = document.getElementById('lately');
  const queries = readLately();
  lately.hidden = queries.length === 0;
  const items = queries.map((query) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = titleOf(query);
    button.addEventListener('click', () => {
      menu.hidePopover();
      openExample({ query }, examples);
    });
    const item = document.createElement('li');
    item.append(button);
    return item;
  });
  lately.querySelector('ul').replaceChildren(...items);
}
