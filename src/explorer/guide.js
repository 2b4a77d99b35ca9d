import { build, buildButton, byId, copyText } from './views.js';

// Guides speak of a gateway on the reader's own machine. This page comes from the one that is meant.
for (const shown of document.querySelectorAll('[data-origin]')) shown.textContent = location.origin;

for (const block of document.querySelectorAll('.code')) {
  const copy = (button) => copyText(block.querySelector('code').textContent, button, 'Copied', () => {});
  block.append(buildButton(copy, 'Copy'));
}

const [sought, found, results, contents] = byId('sought', 'found', 'results', 'contents');
contents.open = matchMedia('(min-width: 60rem)').matches;

let sections = null;

/** What all guides say, by section. It is read with the first letter that somebody types. */
function readSections() {
  sections ??= fetch('/docs', { headers: { accept: 'application/json' } })
    .then((response) => response.json())
    .catch(() => {
      sections = null;
      return [];
    });
  return sections;
}

/** How well a section fits: the sum over all words, and nothing where one is missing. */
function rank({ title, guide, text }, words) {
  let sum = 0;
  for (const word of words) {
    const inTitle = title.toLowerCase().includes(word);
    if (!inTitle && !`${guide} ${text}`.toLowerCase().includes(word)) return 0;
    sum += inTitle ? 3 : 1;
  }
  return sum;
}

/** Some words around the first that was sought, which is marked. */
function excerpt(text, word) {
  const at = text.toLowerCase().indexOf(word);
  if (at === -1) return [text.slice(0, 120)];
  const begin = Math.max(0, text.lastIndexOf(' ', Math.max(0, at - 40)));
  const end = at + word.length;
  return [text.slice(begin, at), build('mark', text.slice(at, end)), text.slice(end, end + 80)];
}

function writeResult({ path, guide, title, text }, words) {
  const link = build('a', { href: path }, title === guide ? title : `${guide}: ${title}`);
  return build('li', link, build('p.quiet.small', ...excerpt(text, words[0])));
}

sought.addEventListener('input', async () => {
  const text = sought.value;
  const all = await readSections();
  // A later letter has its own results.
  if (text !== sought.value) return;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = all.map((section) => [rank(section, words), section]).filter(([sum]) => sum > 0);
  ranked.sort(([one], [other]) => other - one);
  results.replaceChildren(...ranked.slice(0, 10).map(([, section]) => writeResult(section, words)));
  found.textContent = words.length === 0 ? '' : `${ranked.length === 0 ? 'No' : ranked.length} sections have it.`;
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select') != null;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  sought.focus();
});
