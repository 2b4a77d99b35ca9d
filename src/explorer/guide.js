// Guides speak of a gateway on the reader's own machine. This page comes from the one that is meant.
for (const shown of document.querySelectorAll('[data-origin]')) shown.textContent = location.origin;

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      // A page that did not come by HTTPS may not write it. What is selected can be copied by hand.
      getSelection().selectAllChildren(block.querySelector('code'));
      button.textContent = 'Selected';
    }
  });
  block.append(button);
}

const [search, sought, found, results, contents] = ['search', '#sought', '#found', '#results', '#contents'].map(
  (selector) => document.querySelector(selector),
);
search.hidden = false;
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
  const paragraph = document.createElement('p');
  if (at === -1) paragraph.append(text.slice(0, 120));
  else {
    const marked = document.createElement('mark');
    marked.textContent = text.slice(at, at + word.length);
    const begin = Math.max(0, text.lastIndexOf(' ', Math.max(0, at - 40)));
    paragraph.append(text.slice(begin, at), marked, text.slice(at + word.length, at + word.length + 80));
  }
  return paragraph;
}

function writeResult({ path, guide, title, text }, words) {
  const link = document.createElement('a');
  link.href = path;
  link.textContent = title === guide ? title : `${guide}: ${title}`;
  const item = document.createElement('li');
  item.append(link, excerpt(text, words[0]));
  return item;
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
