// Finds names of types and fields, in the picture and in the list below it. A browser's own search finds them without this.
const [sought, found] = ['sought', 'found'].map((id) => document.getElementById(id));
const picture = document.querySelector('.picture');
const nameOf = (element) => element.textContent.replace(/\W.*/s, '').toLowerCase();
const drawn = [...picture.querySelectorAll('a')].map((link) => ({ link, name: nameOf(link.querySelector('text')) }));
const listed = [...document.querySelectorAll('section.type')].map((section) => ({
  section,
  names: [...section.querySelectorAll('h3, dt')].map(nameOf),
}));
let matches = [];
let current = 0;

function find() {
  const text = sought.value.trim().toLowerCase();
  const isSearched = text !== '';
  matches = drawn.filter(({ name }) => isSearched && name.includes(text));
  current = -1;
  for (const { link, name } of drawn) link.classList.toggle('is-found', isSearched && name.includes(text));
  for (const { section, names } of listed) section.hidden = isSearched && !names.some((name) => name.includes(text));
  const sections = listed.filter(({ section }) => !section.hidden).length;
  found.textContent = isSearched
    ? `${matches.length} in the picture, ${sections} of ${listed.length} types below. Enter shows the next.`
    : '';
}

/** Moves the picture, and nothing else, until an element stands within it. */
function show(element, share) {
  const [frame, box] = [picture, element].map((each) => each.getBoundingClientRect());
  picture.scrollLeft += box.left - frame.left - share * Math.max(0, frame.width - box.width);
  picture.scrollTop += box.top - frame.top - share * Math.max(0, frame.height - box.height);
}

sought.addEventListener('input', find);
sought.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || matches.length === 0) return;
  current = (current + 1) % matches.length;
  for (const [at, { link }] of matches.entries()) link.classList.toggle('is-current', at === current);
  show(matches[current].link, 0.5);
});
// A browser may have kept the text of the field.
find();
const [first] = location.hash === '' ? document.querySelectorAll('#picture-Query') : [];
if (first !== undefined) show(first, 0.1);
