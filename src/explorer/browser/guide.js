import MiniSearch from './minisearch.js';
import { build, byId } from './dom.js';
import { createSearch, excerptOf } from './search.js';

// Guides speak of a gateway on the reader's own machine. This page comes from the one that is meant.
for (const shown of document.querySelectorAll('[data-origin]')) shown.textContent = location.origin;

for (const block of document.querySelectorAll('.code')) {
  const button = block.querySelector('button');
  button.addEventListener('click', async () => {
    const copied = navigator.clipboard?.writeText(block.querySelector('code').textContent);
    button.textContent = await Promise.resolve(copied ?? Promise.reject()).then(
      () => 'Copied',
      () => 'The browser does not let this page copy',
    );
  });
}

const [sought, found, results, contents] = byId('sought', 'search-found', 'search-results', 'all-guides');
contents.open = matchMedia('(min-width: 60rem)').matches;

let search = null;

/** Reads what all guides say with the first letter that somebody types. */
function readSearch() {
  search ??= fetch('/docs', { headers: { accept: 'application/json' } })
    .then(async (response) => createSearch(MiniSearch, await response.json()))
    .catch(() => (search = null));
  return search;
}

function writeResult(result) {
  const { id, guide, title } = result;
  const words = excerptOf(result).flatMap(({ word, isFound }) => [isFound ? build('mark', word) : word, ' ']);
  const link = build('a', { href: id }, title === guide ? title : `${guide}: ${title}`);
  return build('li', link, build('p.quiet.small', ...words));
}

sought.addEventListener('input', async () => {
  const text = sought.value.trim();
  const find = await readSearch();
  // A later letter has its own results.
  if (text !== sought.value.trim()) return;
  const all = text === '' ? [] : (find?.(text) ?? []);
  results.replaceChildren(...all.slice(0, 10).map(writeResult));
  found.textContent = text === '' ? '' : `${all.length === 0 ? 'No' : all.length} sections have it.`;
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select') != null;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  sought.focus();
});
