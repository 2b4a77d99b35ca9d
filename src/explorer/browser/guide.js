import MiniSearch from './minisearch.js';
import { build, byId } from './dom.js';
import { createSearch, excerptOf } from './search.js';

// Guides speak of a gateway on the reader's own machine. This page comes from the one that is meant.
for (const shown of document.querySelectorAll('[data-origin]')) shown.textContent = location.origin;

for (const button of document.querySelectorAll('.code button'))
  button.addEventListener('click', async () => {
    const { textContent: code } = button.parentElement.querySelector('code');
    // Over plain HTTP there is no clipboard.
    const copied = Promise.try(() => navigator.clipboard.writeText(code)).then(() => 'Copied');
    button.textContent = await copied.catch(() => 'The browser does not let this page copy');
  });

const [sought, found, results, contents] = byId('sought', 'search-found', 'search-results', 'all-guides');
contents.open = matchMedia('(min-width: 60rem)').matches;

function writeResult(result) {
  const { id, guide, title } = result;
  const words = excerptOf(result).flatMap(({ word, isFound }) => [isFound ? build('mark', word) : word, ' ']);
  const link = build('a', { href: id }, title === guide ? title : `${guide}: ${title}`);
  return build('li', link, build('p.quiet.small', ...words));
}

const asJson = { headers: { accept: 'application/json' } };
let search = null;
sought.addEventListener('input', async () => {
  const text = sought.value.trim();
  search ??= fetch('/docs', asJson).then(async (response) => createSearch(MiniSearch, await response.json()));
  const find = await search.catch(() => (search = null));
  // A later letter has its own results.
  if (text !== sought.value.trim()) return;
  const all = find?.(text) ?? [];
  results.replaceChildren(...all.slice(0, 10).map(writeResult));
  found.textContent = text === '' ? '' : `${all.length === 0 ? 'No' : all.length} sections have it.`;
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select') != null;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  sought.focus();
});
