// Words that people search for, before words of the guides that mean the same: where a guide has one of these, it has those, too.
const synonyms = [
  ['pagination paging paginate infinite scroll load more', 'cursor cursors fetchmore relaystylepagination'],
  ['page', 'pagination'],
  ['rollback downgrade revert', 'roll'],
  ['hook hooks react usequery', 'usequery usesubscription usefragment hooks'],
  ['money amount currency bigdecimal', 'decimal'],
  ['timezone timezones zone tz utc', 'datetime utc zones'],
  ['auth authentication authorization login token', 'bearer authorization'],
  ['quickstart install tutorial getting started setup', 'quickstart'],
  ['docker container', 'docker image'],
  ['kubernetes k8s helm pod', 'kubernetes kubectl'],
].map((pair) => pair.map((words) => words.split(' ')));

// Words of a question that say nothing of what is sought.
const silent = new Set(
  'a an and are do does for from how i in is it mean means of on that the to use what when which why with'.split(' '),
);

/** What a word is found by; null if it says nothing. */
function termOf(word) {
  const small = word.toLowerCase();
  return silent.has(small) ? null : small.replace(/(?<=\w{2})ies$/, 'y').replace(/(?<=\w{3})s$/, '');
}

/** All that a word of a guide is found by. */
function termsOf(word) {
  const small = word.toLowerCase();
  const others = synonyms.filter(([, words]) => words.includes(small)).flatMap(([sought]) => sought);
  return [...new Set([small, ...others].map(termOf))].filter((term) => term !== null);
}

const fuzzy = (term) => (term.length > 4 ? 0.2 : false);
const fields = ['title', 'guide', 'text'];
const searchOptions = {
  processTerm: termOf,
  combineWith: 'AND',
  prefix: (term) => term.length > 2,
  boost: { title: 6, guide: 2 },
};

/** Builds the search of sections, which have `path`, `guide`, `title` and `text`. `MiniSearch` is the package's class. */
export function createSearch(MiniSearch, sections) {
  // 2,000 is one word, and is found as 2000, too.
  const tokenize = (text) => MiniSearch.getDefault('tokenize')(text.replaceAll(/(?<=\d),(?=\d{3})/g, ''));
  const processTerm = termsOf;
  const index = new MiniSearch({ idField: 'path', fields, storeFields: fields, tokenize, processTerm, searchOptions });
  index.addAll(sections);
  return (text) => {
    const found = index.search(text);
    // No guide has all of these words: one may be misspelt, or say nothing.
    return found.length > 0 ? found : index.search(text, { combineWith: 'OR', fuzzy });
  };
}

/** Whole words of a text around the first that was found, as pieces; `isFound` are those to mark. */
export function excerptOf({ text, terms }) {
  const words = text.split(' ');
  const isFound = (word) => terms.some((term) => word.toLowerCase().replace(/^\W+/, '').startsWith(term));
  const at = Math.max(0, words.findIndex(isFound));
  return words.slice(Math.max(0, at - 6), at + 14).map((word) => ({ word, isFound: isFound(word) }));
}
