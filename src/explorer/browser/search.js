// Words that people search for, before words of the guides that mean the same: where a guide has one of these, it has those, too.
const synonyms = [
  ['pagination paging infinite scroll load more', 'cursor cursors fetchmore relaystylepagination'],
  ['hook hooks react usequery', 'usequery usesubscription usefragment hooks'],
  ['money amount currency bigdecimal', 'decimal'],
  ['timezone timezones zone tz utc', 'datetime utc zones'],
  ['auth authentication authorization login token', 'bearer authorization'],
  ['quickstart install tutorial getting started setup', 'quickstart'],
  ['docker container', 'docker image'],
  ['kubernetes k8s helm pod', 'kubernetes kubectl'],
].map((pair) => pair.map((words) => words.split(' ')));

const termOf = (word) => word.toLowerCase().replace(/(?<=\w{3})s$/, '');

/** All that a word of a guide is found by. */
function termsOf(word) {
  const small = word.toLowerCase();
  const others = synonyms.filter(([, words]) => words.includes(small)).flatMap(([sought]) => sought);
  return [...new Set([small, ...others].map(termOf))];
}

const fields = ['title', 'guide', 'text'];
const searchOptions = {
  processTerm: termOf,
  combineWith: 'AND',
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  boost: { title: 6, guide: 2 },
};

/** Builds the search of sections, which have `path`, `guide`, `title` and `text`. `MiniSearch` is the package's class. */
export function createSearch(MiniSearch, sections) {
  const index = new MiniSearch({ idField: 'path', fields, storeFields: fields, processTerm: termsOf, searchOptions });
  index.addAll(sections);
  return (text) => index.search(text);
}

/** Whole words of a text around the first that was found, as pieces; `isFound` are those to mark. */
export function excerptOf({ text, terms }) {
  const words = text.split(' ');
  const isFound = (word) => terms.some((term) => word.toLowerCase().replace(/^\W+/, '').startsWith(term));
  const at = Math.max(0, words.findIndex(isFound));
  return words.slice(Math.max(0, at - 6), at + 14).map((word) => ({ word, isFound: isFound(word) }));
}
